import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { studyQueries } from '@/api/studies';
import type { Plan } from '@/lib/run-plan';
import { planOf } from './study-plan';
import classes from './StudyPresets.module.css';

/** Fills the grid from a study. */
export function StudyPresets({ onPlan }: { onPlan: (plan: Plan) => void }) {
  const studies = useQuery(studyQueries.list()).data ?? [];
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string | null>(null);
  if (studies.length === 0) return null;
  const choose = async (slug: string) => {
    setBusy(slug);
    try {
      onPlan(planOf(await queries.query(studyQueries.one(slug, undefined))));
    } finally {
      setBusy(null);
    }
  };
  return (
    <div className={classes.presets} role="group" aria-label="Start from a study">
      <span className={classes.label}>Start from a study:</span>
      {studies.map((study) => (
        <Button
          key={study.slug}
          size="compact-xs"
          variant="default"
          loading={busy === study.slug}
          onClick={() => void choose(study.slug)}
        >
          {study.name}
        </Button>
      ))}
      <span className={classes.hint}>
        One load per scenario. The <Link to="/studies">study pages</Link> reproduce all of them.
      </span>
    </div>
  );
}
