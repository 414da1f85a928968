import { MarkedName } from '@/components/Marker';
import type { Heat } from './heat';
import classes from './HeatChart.module.css';
import { NOT_DRAWN } from './not-drawn';

interface HeatOutlineProps {
  heats: readonly Pick<Heat, 'id' | 'name' | 'colour'>[];
  /** Whether the heat maps will be drawn as soon as they are loaded. */
  isLoading: boolean;
}

/** Takes the space of heat maps until they are drawn. */
export function HeatOutline({ heats, isLoading }: HeatOutlineProps) {
  const status = isLoading ? { role: 'status', 'aria-label': 'Loading' } : {};
  return (
    <>
      <div className={classes.maps}>
        {heats.map(({ id, name, colour }) => (
          <div key={id} className={classes.map}>
            <div className={classes.head}>
              <MarkedName name={name} colour={colour} />
            </div>
            <div className={classes.plot} {...status} />
            <div className={classes.seconds} />
          </div>
        ))}
      </div>
      <div className={classes.space} aria-hidden {...NOT_DRAWN}>
        <div className={classes.key}>
          <span>1</span>
        </div>
      </div>
    </>
  );
}
