import { describe } from 'vitest';
import { verdicts } from '@/testing/documents/catalogue';
import { testWaitingAndErrors } from '@/testing/page-states';

describe('the list of verdicts', () =>
  testWaitingAndErrors('/verdicts', '/api/v1/verdicts', verdicts, /generator saturated/i));
