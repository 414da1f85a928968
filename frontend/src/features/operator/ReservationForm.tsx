import { MultiSelect } from '@mantine/core';
import { useForm } from '@mantine/form';
import { api } from '@/api/client';
import type { HostOut, Reservation, WorkspaceOut } from '@/api/schema';
import { EntryForm } from '@/components/EntryForm';
import { Loaded } from '@/components/States';

interface ReservationFormProps {
  host: HostOut;
  workspaces: readonly WorkspaceOut[];
  onSend: (reservation: Reservation['workspaces']) => Promise<unknown>;
}

/** Edits which workspaces may use a host. */
export function ReservationForm(props: ReservationFormProps) {
  const query = api.useQuery('get', '/api/v1/hosts/{name}/reservation', {
    params: { path: { name: props.host.name } },
  });
  return (
    <Loaded query={query}>
      {({ workspaces }) => <Fields {...props} reservation={workspaces} />}
    </Loaded>
  );
}

type FieldsProps = ReservationFormProps & { reservation: Reservation['workspaces'] };

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
