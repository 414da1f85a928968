/** The pages of the navigation, with further search terms. */

export interface Page {
  to:
    | '/'
    | '/choose'
    | '/runs'
    | '/leaderboard'
    | '/compare'
    | '/history'
    | '/changes'
    | '/limits'
    | '/guards'
    | '/studies'
    | '/frameworks'
    | '/schedules'
    | '/queue'
    | '/hosts'
    | '/settings'
    | '/operator'
    | '/account'
    | '/verdicts'
    | '/runs/new';
  label: string;
  /** Further search terms. */
  words: string;
}

/** In the header, in this order. */
export const PAGES: readonly Page[] = [
  { to: '/choose', label: 'Choose', words: 'decide recommendation which framework best for' },
  { to: '/runs', label: 'Runs', words: 'all list earlier past measurements person outcome status' },
  { to: '/leaderboard', label: 'Leaderboard', words: 'ranking best ranks composite' },
  { to: '/compare', label: 'Compare', words: 'side by side results ratio' },
  { to: '/history', label: 'History', words: 'time series trend change points' },
  {
    to: '/changes',
    label: 'Changes',
    words: 'regressions improvements incidents host events',
  },
  { to: '/studies', label: 'Studies', words: 'published papers reproduce example data' },
  { to: '/frameworks', label: 'Frameworks', words: 'catalogue scenarios languages' },
  { to: '/schedules', label: 'Schedules', words: 'nightly cron clock' },
];

/** Pages that are linked elsewhere in the shell. */
export const OTHER_PAGES: readonly Page[] = [
  { to: '/', label: 'Overview', words: 'home start latest' },
  { to: '/queue', label: 'Queue', words: 'waiting running cancel position' },
  { to: '/hosts', label: 'Hosts', words: 'machines workers calibration CPUs offline' },
  { to: '/limits', label: 'Limits', words: 'SLO objectives gate alert budget' },
  {
    to: '/guards',
    label: 'Own services',
    words: 'guard verdicts commit pull request slower my application bisect',
  },
  { to: '/runs/new', label: 'New run', words: 'start plan benchmark measure' },
  {
    to: '/settings',
    label: 'Settings',
    words: 'members invitations roles access tokens webhooks audit log workspace',
  },
  {
    to: '/operator',
    label: 'Installation',
    words: 'operator state users workspaces hosts retention backups audit log',
  },
  { to: '/account', label: 'Account', words: 'profile name password sessions access tokens' },
  { to: '/verdicts', label: 'Verdicts', words: 'warnings excluded validity' },
];
