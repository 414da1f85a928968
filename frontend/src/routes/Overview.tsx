import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '@/api/client';
import { LinkButton } from '@/components/LinkButton';
import { PageHeader, Section } from '@/components/Page';
import { EmptyState, LoadingState } from '@/components/States';
import { Questions } from '@/features/choose/Questions';
import { HomeState } from './HomeState';
import { DatabaseDisk } from '@/features/hosts/DatabaseDisk';
import { LoadGeneratorBuild } from '@/features/hosts/LoadGeneratorBuild';
import { StoppedParts } from '@/features/hosts/StoppedParts';
import { RunList } from '@/features/runs/RunList';
import { Starters } from '@/features/starters/Starters';

const LATEST = 8;
const STARTED_BY_PEOPLE = { scheduled: false };

/** The home page: the state of the installation, or suggested runs if there is nothing yet. */
export function Overview(): ReactNode {
  const any = api.useQuery('get', '/api/v1/runs', { params: { query: { limit: 1 } } });
  // Requested here too, so that the page appears at once with the list.
  const latest = api.useQuery('get', '/api/v1/runs', {
    params: { query: { ...STARTED_BY_PEOPLE, limit: LATEST } },
  });
  const isEmpty = any.data?.items.length === 0;
  return isEmpty ? <FirstSteps /> : <State isLoading={!any.isFetched || !latest.isFetched} />;
}

function FirstSteps() {
  return (
    <>
      <PageHeader
        documentTitle=""
        title="Measure microservice frameworks on this hardware"
        meta="Ask a question, start one of the runs below, or plan your own."
      />
      <DatabaseDisk />
      <LoadGeneratorBuild />
      <StoppedParts />
      <ChooseSection />
      <StartSection />
      <HomeState isLoading={false}>
        <LatestRuns />
      </HomeState>
    </>
  );
}

function State({ isLoading }: { isLoading: boolean }) {
  return (
    <>
      <PageHeader
        title="Overview"
        documentTitle=""
        meta={<Link to="/choose">Which framework should I choose?</Link>}
      />
      <DatabaseDisk />
      <LoadGeneratorBuild />
      <StoppedParts />
      <HomeState isLoading={isLoading}>
        <LatestRuns />
        <StartSection />
      </HomeState>
    </>
  );
}

function StartSection() {
  return (
    <Section
      title="Start a run"
      hint="Every run gets a permanent link."
      actions={<Link to="/guards">Did your change make your own service slower?</Link>}
    >
      <Starters />
    </Section>
  );
}

/** Leads to the recommendation for a question. It follows what this installation measured. */
function ChooseSection() {
  const { data } = api.useQuery('get', '/api/v1/frameworks');
  return (
    <Section
      title="Choose a framework"
      hint="One recommendation for a kind of work, and the run that measures what is missing."
      actions={<LinkButton to="/choose">Choose</LinkButton>}
    >
      {data === undefined ? <LoadingState lines={4} /> : <Questions frameworks={data.items} />}
    </Section>
  );
}

/** Lists runs that people started. Above it are the newest results of schedules. */
function LatestRuns() {
  const { data: home } = api.useQuery('get', '/api/v1/home');
  const hasSchedules = home !== undefined && home.schedules.length > 0;
  return (
    <Section
      title="Latest runs"
      actions={<Link to="/runs">All runs</Link>}
      hint={hasSchedules ? 'Runs of schedules are on the pages of their schedules.' : undefined}
    >
      <RunList
        filter={STARTED_BY_PEOPLE}
        limit={LATEST}
        empty={hasSchedules ? <NoOtherRuns /> : <NoRuns />}
      />
    </Section>
  );
}

function NoOtherRuns() {
  return (
    <EmptyState title="Only schedules have started runs" action={<PlanRun />}>
      Plan a run to compare frameworks at once.
    </EmptyState>
  );
}

function NoRuns() {
  return (
    <EmptyState title="No runs yet" action={<PlanRun />}>
      Start one of the runs above. First look compares two frameworks in about two minutes. Or
      choose frameworks, scenarios and load yourself. To look around first, load recorded runs with{' '}
      <code>make demo</code>.
    </EmptyState>
  );
}

function PlanRun() {
  return <LinkButton to="/runs/new">Plan a run</LinkButton>;
}
