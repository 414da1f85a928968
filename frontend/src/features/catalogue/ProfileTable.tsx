import { Box } from '@mantine/core';
import {
  listParameters,
  type Parameter,
  type SweptParameter,
  sweptParameter,
} from '@/api/scenarios';
import type { ProfileOut } from '@/api/schema';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatFigure, words } from '@/lib/format';
import classes from './ProfileTable.module.css';

type Row = Parameter | SweptParameter;

/** Lists load profiles: the default of each parameter per variant, and its bounds. */
export function ProfileTable({ profiles }: { profiles: readonly ProfileOut[] }) {
  const names = [...new Set(profiles.map((profile) => profile.name))];
  return names.map((name) => {
    const variants = profiles.filter((profile) => profile.name === name);
    return <Variants key={name} name={name} variants={variants} />;
  });
}

function Variants({ name, variants }: { name: string; variants: readonly ProfileOut[] }) {
  const [first] = variants;
  if (first === undefined) return null;
  return (
    <div className={classes.profile}>
      <div>
        <Box component="h3" m={0} fz="sm" fw={600}>
          {words(name)}
        </Box>
        <Box component="p" m="2px 0 0" c="dimmed">
          {first.description}
        </Box>
      </div>
      <DataTable
        label={`Parameters of ${words(name)}`}
        layout="fit"
        density="compact"
        rows={listRows(first)}
        rowKey={(parameter) => parameter.name}
        rowProps={(parameter) => ({ title: parameter.description })}
        columns={[
          { header: 'Parameter', isRowHeader: true, cell: (parameter) => parameter.title },
          ...variants.map((variant): Column<Row> => ({
            id: variant.variant,
            header: variant.variant,
            isNumeric: true,
            cell: ({ name }) => {
              const own = listRows(variant).find((row) => row.name === name);
              return own && describeDefault(own);
            },
          })),
          {
            header: 'Range',
            isNumeric: true,
            tone: () => 'muted',
            cell: ({ names, minimum, maximum }) =>
              names?.join(', ') ?? `${formatFigure(minimum)} to ${formatFigure(maximum)}`,
          },
        ]}
      />
    </div>
  );
}

/** Return the parameters of a profile. The swept one comes first. */
function listRows(profile: ProfileOut): Row[] {
  const swept = sweptParameter(profile);
  return [...(swept ? [swept] : []), ...listParameters(profile)];
}

function describeDefault({ name, title, unit, names, default: value }: Row): string {
  if (typeof value !== 'number') return value.map((each) => formatFigure(each)).join(', ');
  if (names) return names[value] ?? '';
  // The server leaves out the number of cores if a service has all of them.
  if (name === 'cores' && value === 0) return 'all';
  return `${formatFigure(value)} ${unit === title.toLowerCase() ? '' : unit}`;
}
