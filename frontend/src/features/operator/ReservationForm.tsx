import { Button, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Host, hostQueries, type Reservation } from '@/api/hosts';
import type { Workspace } from '@/api/workspaces';
import { Refusal } from '@/components/Refusal';
import { Loaded } from '@/components/States';
import classes from './Operator.module.css';

interface ReservationFormProps {
  host: Host;
  workspaces: readonly Workspace[];
  /** The state of the request. */
  sending: { error: Error | null; isPending: boolean };
  onSubmit: (reservation: Reservation) => void;
}

/** Edits which workspaces may use a host. */
export function ReservationForm(props: ReservationFormProps) {
  const query = useQuery(hostQueries.reservation(props.host.name));
  return (
    <Loaded query={query}>
      {(reservation) => <Fields {...props} reservation={reservation} />}
    </Loaded>
  );
}

function Fields({
  workspaces,
  sending,
  onSubmit,
  reservation,
}: ReservationFormProps & { reservation: Reservation }) {
  const [chosen, setChosen] = useState<string[]>(reservation ?? []);
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(chosen.length === 0 ? null : chosen);
      }}
    >
      <MultiSelect
        label="Workspaces"
        description="Only their runs may use the host. Empty: all workspaces. Queued runs still take place."
        data={workspaces.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={chosen}
        searchable
        clearable
        data-autofocus
        onChange={setChosen}
      />
      {sending.error && <Refusal error={sending.error} />}
      <div>
        <Button type="submit" loading={sending.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
