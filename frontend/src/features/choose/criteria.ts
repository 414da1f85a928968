/** The criteria of a choice, and the questions that the page offers. */
import type { Criterion, FrameworkOut } from '@/api/schema';

/** In the order of importance that the server takes unless another one is given. */
export const CRITERIA: readonly { value: Criterion; label: string }[] = [
  { value: 'latency', label: 'Latency at a rate' },
  { value: 'rate', label: 'Highest rate' },
  { value: 'cost', label: 'Cost per request' },
  { value: 'memory', label: 'Memory' },
  { value: 'start', label: 'Start' },
];

/** A choice as the URL of the page holds it. */
export interface ChoiceSearch {
  /** Slugs, separated by commas. */
  frameworks?: string | undefined;
  /** Instead of frameworks: all of a language. */
  language?: string | undefined;
  scenario?: string | undefined;
  /** The most important first, separated by commas. */
  criteria?: string | undefined;
  /** Such as `rate_rps:500,delay_ms:1000`. */
  load?: string | undefined;
  host?: string | undefined;
}

interface Question {
  text: string;
  search: ChoiceSearch;
}

const QUESTIONS: readonly Question[] = [
  {
    text: 'Spring MVC with virtual threads or WebFlux at 500 req/s in front of a 1 s upstream?',
    search: {
      frameworks: 'spring-mvc-virtual,spring-webflux',
      scenario: 'slow-upstream',
      criteria: 'latency,memory',
      load: 'rate_rps:500,delay_ms:1000',
    },
  },
  {
    text: 'Spring, Quarkus or Node.js in front of a slow third party?',
    search: {
      frameworks: 'spring-mvc,spring-webflux,quarkus-rest,node',
      scenario: 'slow-upstream',
      criteria: 'latency,rate',
    },
  },
  {
    text: 'Which Java framework answers small JSON at the highest rate?',
    search: {
      language: 'Java',
      scenario: 'articles',
      criteria: 'rate,memory',
      load: 'size_bytes:50',
    },
  },
  {
    text: 'Node.js, Go or FastAPI: which costs least for a bare request?',
    search: { frameworks: 'node,go-nethttp,fastapi', scenario: 'hello', criteria: 'cost,memory' },
  },
  {
    text: 'NestJS, Go Micro or Spring: which needs least CPU behind a gateway?',
    search: {
      frameworks: 'nest,micro,spring-mvc',
      scenario: 'universities',
      criteria: 'cost,memory',
    },
  },
  {
    text: 'Which starts fastest: Spring, Quarkus or Vert.x?',
    search: {
      frameworks: 'spring-webflux,quarkus-rest,vertx',
      scenario: 'cars-stream',
      criteria: 'start,memory',
    },
  },
];

/** Return the questions whose frameworks are all in the catalogue. */
export function listQuestions(frameworks: readonly FrameworkOut[]): readonly Question[] {
  const known = new Set(frameworks.map(({ slug }) => slug));
  const languages = new Set(frameworks.map(({ language }) => language));
  return QUESTIONS.filter(({ search }) =>
    search.language === undefined
      ? split(search.frameworks).every((slug) => known.has(slug))
      : languages.has(search.language),
  );
}

/** Return the items of a list that the URL holds. */
export function split(list: string | undefined): string[] {
  return list === undefined || list === '' ? [] : list.split(',');
}

/** Return whether a choice names enough for an answer. */
export function isComplete(search: ChoiceSearch): boolean {
  const isAmong = split(search.frameworks).length > 1 || search.language !== undefined;
  return isAmong && search.scenario !== undefined;
}

/** Return the load with another value of a parameter; without the parameter for an empty value. */
export function setLoad(load: string | undefined, name: string, value: string): string {
  const others = split(load).filter((item) => !item.startsWith(`${name}:`));
  return [...others, ...(value === '' ? [] : [`${name}:${value}`])].join(',');
}

/** Return the value of a parameter in a load; empty without it. */
export function valueOf(load: string | undefined, name: string): string {
  const found = split(load).find((item) => item.startsWith(`${name}:`));
  return found?.slice(name.length + 1) ?? '';
}
