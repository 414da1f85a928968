import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';

interface ExportMenuProps {
  /** Address and label of each file. */
  files: readonly (readonly [href: string, label: string])[];
}

/** Offers files to download. */
export function ExportMenu({ files }: ExportMenuProps) {
  return (
    <Menu position="bottom-end" shadow="none">
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {files.map(([href, label]) => (
          <Menu.Item key={href} component="a" href={href} download>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
