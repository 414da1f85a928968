import { Button, MultiSelect, Radio, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { explainField } from '@/api/client';
import { frameworkQueries } from '@/api/frameworks';
import { hostQueries } from '@/api/hosts';
import {
  type NewAccessToken,
  type Scope,
  SCOPES,
  type TokenOwner,
  useCreateToken,
} from '@/api/tokens';
import { Refusal } from '@/components/Refusal';
import { useDraft } from '@/lib/drafts';
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
  owner: TokenOwner;
  /** Receives the token, which is shown once. */
  onCreated: (token: NewAccessToken) => void;
}

/** Creates an access token. */
export function TokenForm({ owner, onCreated }: TokenFormProps) {
  const create = useCreateToken();
  const [name, setName] = useDraft(`${owner}-token.name`, '');
  const [scope, setScope] = useDraft<Scope>(`${owner}-token.scope`, 'run');
  const [days, setDays] = useDraft(`${owner}-token.days`, USUAL_EXPIRY);
  const [hosts, setHosts] = useDraft<string[]>(`${owner}-token.hosts`, []);
  const [frameworks, setFrameworks] = useDraft<string[]>(`${owner}-token.frameworks`, []);
  const fault = explainField(create.error, 'name');
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(
          {
            name: name.trim(),
            scope,
            owner,
            ...(days !== NEVER && { days: Number(days) }),
            ...(hosts.length > 0 && { hosts }),
            ...(frameworks.length > 0 && { frameworks }),
          },
          { onSuccess: onCreated },
        );
      }}
    >
      <TextInput
        label="Name"
        description="Its purpose, such as “Nightly job in CI”."
        maxLength={200}
        required
        value={name}
        error={fault}
        onChange={(event) => {
          setName(event.currentTarget.value);
        }}
      />
      <Radio.Group
        label="Scope"
        description={
          owner === 'me' ? 'A token never has more rights than your role in the workspace.' : null
        }
        value={scope}
        onChange={(value) => {
          setScope(value);
        }}
      >
        <div className={classes.choices}>
          {SCOPES.map((entry) => (
            <Radio
              key={entry.scope}
              value={entry.scope}
              label={entry.name}
              description={entry.meaning}
            />
          ))}
        </div>
      </Radio.Group>
      <Select
        className={classes.half}
        label="Expires after"
        data={EXPIRIES}
        value={days}
        allowDeselect={false}
        onChange={(value) => {
          setDays(value ?? NEVER);
        }}
      />
      <details className={classes.more}>
        <summary>Restrict to hosts or frameworks</summary>
        <Restrictions
          hosts={hosts}
          onHosts={setHosts}
          frameworks={frameworks}
          onFrameworks={setFrameworks}
        />
      </details>
      {create.error && fault === null && <Refusal error={create.error} />}
      <div>
        <Button type="submit" loading={create.isPending}>
          Create token
        </Button>
      </div>
    </form>
  );
}

interface RestrictionsProps {
  hosts: string[];
  onHosts: (hosts: string[]) => void;
  frameworks: string[];
  onFrameworks: (frameworks: string[]) => void;
}

function Restrictions({ hosts, onHosts, frameworks, onFrameworks }: RestrictionsProps) {
  const knownHosts = useQuery(hostQueries.list()).data ?? [];
  const knownFrameworks = useQuery(frameworkQueries.list()).data ?? [];
  return (
    <div>
      <MultiSelect
        label="Hosts"
        description="Runs of this token may use only these. Empty: all."
        data={knownHosts.map(({ name }) => name)}
        value={hosts}
        clearable
        onChange={onHosts}
      />
      <MultiSelect
        label="Frameworks"
        description="Runs of this token may use only these. Empty: all."
        data={knownFrameworks.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={frameworks}
        searchable
        clearable
        onChange={onFrameworks}
      />
    </div>
  );
}
