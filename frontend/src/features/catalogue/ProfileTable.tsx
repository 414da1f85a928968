import { listParameters, type Profile } from '@/api/scenarios';
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
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            {variants.map(({ variant }) => (
              <th key={variant} scope="col" className={classes.number}>
                {variant}
              </th>
            ))}
            <th scope="col" className={classes.number}>
              Range
            </th>
          </tr>
        </thead>
        <tbody>
          {listParameters(first).map(
            ({ name: key, title, unit, minimum, maximum, description }) => (
              <tr key={key} title={description}>
                <th scope="row">{title}</th>
                {variants.map((variant) => (
                  <td key={variant.slug} className={classes.number}>
                    {formatFigure(defaultOf(variant, key))}{' '}
                    {unit === title.toLowerCase() ? '' : unit}
                  </td>
                ))}
                <td className={`${classes.number ?? ''} ${classes.bounds ?? ''}`}>
                  {formatFigure(minimum)} to {formatFigure(maximum)}
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function defaultOf(profile: Profile, name: string): number {
  return (
    listParameters(profile).find((parameter) => parameter.name === name)?.default ?? Number.NaN
  );
}
