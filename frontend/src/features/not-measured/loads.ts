/** The loads of runs, boards, comparisons and studies, with the frameworks measured under them; pure. */
import type { ComparisonOut, LeaderboardOut, RunOut, StudyOut } from '@/api/schema';
import type { MeasuredLoad } from './unmeasured';

export function loadsOfRun({ groups, cells }: RunOut): MeasuredLoad[] {
  const slugs = new Map(cells.map(({ id, framework }) => [id, framework.slug]));
  return groups.map(({ scenario, profile, parameters, cells: ids }) => ({
    scenario: scenario.slug,
    profile,
    parameters,
    frameworks: ids.flatMap((id) => slugs.get(id) ?? []),
  }));
}

export function loadsOfBoard(board: LeaderboardOut): MeasuredLoad[] {
  const { scenario, profile, parameters, entries, apart, excluded } = board;
  if (profile === null) return [];
  const results = [...entries, ...apart].map(({ result }) => result).concat(excluded);
  const frameworks = results.map(({ framework }) => framework.slug);
  return [{ scenario: scenario.slug, profile, parameters, frameworks }];
}

export function loadsOfComparison({ cells }: ComparisonOut): MeasuredLoad[] {
  const frameworks = cells.map(({ framework }) => framework.slug);
  return cells.map(({ scenario, profile, parameters }) => ({
    scenario: scenario.slug,
    profile,
    parameters,
    frameworks,
  }));
}

/** Return the loads of the quick variant, each with all frameworks of the study. */
export function loadsOfStudy({ variants, systems }: StudyOut): MeasuredLoad[] {
  const frameworks = systems.flatMap(({ framework }) => framework?.slug ?? []);
  return (variants.quick?.cells ?? []).map((cell) => ({ ...cell, frameworks }));
}
