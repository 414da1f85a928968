import type { RunIn } from './schema';

export interface Timing {
  cron: string;
  time_zone: string;
}

export interface NewSchedule extends Timing {
  name: string;
  run: RunIn;
}
