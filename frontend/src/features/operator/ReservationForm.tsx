import { MultiSelect } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type Host, hostQueries, type Reservation } from '@/api/hosts';
import type { Workspace } from '@/api/workspaces';
import { EntryForm } from '@/components/EntryForm';
import { Loaded } from '@/components/States';

interface ReservationFormProps {
  host: Host;
  workspaces: readonly Workspace[];
  onSend: (reservation: Reservation) => Promise<unknown>;
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

type FieldsProps = ReservationFormProps & { reservation: Reservation };

function Fields({ workspaces, onSend, reservation }: FieldsProps) {
  const form = useForm({ initialValues: { workspaces: reservation ?? [] } });
  return (
    <EntryForm
      form={form}
      button="Save"
      onSend={({ workspaces: chosen }) => onSend(chosen.length === 0 ? null : chosen)}
    >
      <MultiSelect
        label="Workspaces"
        description="Only their runs may use the host. Empty: all workspaces. Queued runs still take place."
        data={workspaces.map(({ slug, name }) => ({ value: slug, label: name }))}
        searchable
        clearable
        data-autofocus
        {...form.getInputProps('workspaces')}
      />
    </EntryForm>
  );
}
