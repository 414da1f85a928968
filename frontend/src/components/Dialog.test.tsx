import { MantineProvider } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { Dialog } from './Dialog';

function WithDialog() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <button type="button" onClick={open}>
        Share
      </button>
      <Dialog opened={opened} onClose={close} title="Share this run">
        <input aria-label="Link" />
      </Dialog>
    </>
  );
}

test('a dialog returns the focus when it is closed, also the first time', async () => {
  render(
    <MantineProvider env="test">
      <WithDialog />
    </MantineProvider>,
  );
  const button = screen.getByRole('button', { name: 'Share' });
  for (let time = 0; time < 2; time += 1) {
    await userEvent.click(button);
    await screen.findByRole('dialog', { name: 'Share this run' });
    await userEvent.keyboard('{Escape}');
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(document.activeElement).toBe(button);
    });
  }
});
