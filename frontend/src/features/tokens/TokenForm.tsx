import { MultiSelect, Radio, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { api } from '@/api/client';
import type { NewTokenOut, TokenOut, TokenScope } from '@/api/schema';
import { SCOPES } from '@/api/tokens';
import { EntryForm } from '@/components/EntryForm';
import { useDraftForm } from '@/lib/entries';
import classes from './Tokens.module.css';

const NEVER = '';
const EXPIRIES = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
  { value: NEVER, label: 'Never' },
];
const USUAL_EXPIRY = '90';

interface TokenFormProps {
  owner: TokenOut['owner'];
  /** Receives the token, which is shown once. */
  onCreated: (token: NewTokenOut) => void;
}

interface Values extends Record<string, unknown> {
  name: string;
  scope: TokenScope;
  days: string;
  hosts: string[];
  frameworks: string[];
  services: string[];
}

/** Creates an access token. */
export function TokenForm({ owner, onCreated }: TokenFormProps) {
  const create = api.useMutation('post', '/api/v1/tokens');
  const form = useDraftForm<Values>(`${owner}-token`, {
    initialValues: {
      name: '',
      scope: 'run',
      days: USUAL_EXPIRY,
      hosts: [],
      frameworks: [],
      services: [],
    },
  });
  return (
    <EntryForm
      form={form}
      button="Create token"
      onSend={({ name, scope, days, hosts, frameworks, services }) =>
        create
          .mutateAsync({
            body: {
              name: name.trim(),
              scope,
              owner,
              ...(days !== NEVER && { days: Number(days) }),
              ...(hosts.length > 0 && { hosts }),
              ...(frameworks.length > 0 && { frameworks }),
              ...(services.length > 0 && { services }),
            },
          })
          .then(onCreated)
      }
    >
      <TextInput
        label="Name"
        description="Its purpose, such as “Nightly job in CI”."
        maxLength={200}
        required
        {...form.getInputProps('name')}
      />
      <Radio.Group
        label="Scope"
        description={
          owner === 'me' ? 'A token never has more rights than your role in the workspace.' : null
        }
        {...form.getInputProps('scope')}
      >
        <Stack gap="xs" mt={4}>
          {SCOPES.map((entry) => (
            <Radio
              key={entry.scope}
              value={entry.scope}
              label={entry.name}
              description={entry.meaning}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Select
        maw={272}
        label="Expires after"
        data={EXPIRIES}
        allowDeselect={false}
        {...form.getInputProps('days')}
      />
      <details className={classes.more}>
        <summary>Restrict to hosts, frameworks or own services</summary>
        <Restrictions form={form} />
      </details>
    </EntryForm>
  );
}

function Restrictions({ form }: { form: UseFormReturnType<Values> }) {
  const knownHosts = api.useQuery('get', '/api/v1/hosts').data?.items ?? [];
  const knownServices = api.useQuery('get', '/api/v1/guards/services').data?.items ?? [];
  const knownFrameworks = api.useQuery('get', '/api/v1/frameworks').data?.items ?? [];
  return (
    <Stack gap="md" mt="sm">
      <MultiSelect
        label="Hosts"
        description="Runs and guards of this token may use only these. Empty: all."
        data={knownHosts.map(({ name }) => name)}
        clearable
        {...form.getInputProps('hosts')}
      />
      <MultiSelect
        label="Frameworks"
        description="Runs of this token may use only these. Empty: all."
        data={knownFrameworks.map(({ slug, name }) => ({ value: slug, label: name }))}
        searchable
        clearable
        {...form.getInputProps('frameworks')}
      />
      <TagsInput
        label="Own services"
        description="The token may only guard these, and starts no runs. Empty: no restriction."
        data={knownServices.map(({ service }) => service)}
        clearable
        {...form.getInputProps('services')}
      />
    </Stack>
  );
}
