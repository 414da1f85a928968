import { Stack } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconExclamationCircle,
  IconInfoCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { FindingOut } from '@/api/schema';
import { IconBadge } from '@/components/IconBadge';
import { words } from '@/lib/format';
import classes from './State.module.css';

const LOOKS = {
  critical: { icon: IconExclamationCircle, tone: 'bad' },
  warning: { icon: IconAlertTriangle, tone: 'warn' },
  info: { icon: IconInfoCircle, tone: 'accent' },
} as const;

/** Lists what is wrong, and what to do about each. */
export function Findings({ findings }: { findings: readonly FindingOut[] }) {
  if (findings.length === 0) {
    return <IconBadge look={{ icon: IconCheck, tone: 'good' }} text="Nothing to do" />;
  }
  return (
    <Stack component="ul" gap="sm" aria-label="What to do">
      {findings.map((finding) => (
        <li key={`${finding.alert} ${finding.summary}`} className={classes.finding}>
          <IconBadge look={LOOKS[finding.severity]} text={words(finding.severity)} />
          <div>
            <strong>{finding.summary}.</strong> {finding.action}{' '}
            {finding.host !== null && (
              <Link to="/hosts/$name" params={{ name: finding.host }}>
                About this host
              </Link>
            )}
          </div>
        </li>
      ))}
    </Stack>
  );
}
