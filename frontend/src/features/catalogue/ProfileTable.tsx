import { listParameters, type Parameter, type Profile } from '@/api/scenarios';
import type { Column } from '@/components/data-table/column';
import { DataTable } from '@/components/data-table/DataTable';
import { formatFigure, words } from '@/lib/format';
import classes from './ProfileTable.module.css';

/** Lists load profiles: the default of each parameter per variant, and its bounds. */
export function ProfileTable({ profiles }: { profiles: readonly Profile[] }) {
  const names = [...new Set(profiles.map((profile) => profile.name))];
  return names.map((name) => {
    const variants = profiles.filter((profile) => profile.name === name);
    return <Variants key={name} name={name} variants={variants} />;
  });
}

function Variants({ name, variants }: { name: string; variants: readonly Profile[] }) {
  const [first] = variants;
  if (first === undefined) return null;
  return (
    <div className={classes.profile}>
      <div>
        <h3 className={classes.name}>{words(name)}</h3>
        <p className={classes.description}>{first.description}</p>
      </div>
      <DataTable
        label={`Parameters of ${words(name)}`}
        layout="fit"
        density="compact"
        rows={listParameters(first)}
        rowKey={(parameter) => parameter.name}
        rowProps={(parameter) => ({ title: parameter.description })}
        columns={[
          {
            id: 'parameter',
            header: 'Parameter',
            isRowHeader: true,
            cell: (parameter) => parameter.title,
          },
          ...variants.map((variant): Column<Parameter> => ({
            id: variant.variant,
            header: variant.variant,
            isNumeric: true,
            cell: ({ name, title, unit }) =>
              `${formatFigure(defaultOf(variant, name))} ${unit === title.toLowerCase() ? '' : unit}`,
          })),
          {
            id: 'range',
            header: 'Range',
            isNumeric: true,
            tone: () => 'muted',
            cell: ({ minimum, maximum }) => `${formatFigure(minimum)} to ${formatFigure(maximum)}`,
          },
        ]}
      />
    </div>
  );
}

function defaultOf(profile: Profile, name: string): number {
  return (
    listParameters(profile).find((parameter) => parameter.name === name)?.default ?? Number.NaN
  );
}
