import { describe } from 'vitest';
import { charts, comparison } from '@/testing/documents/comparisons';
import { testMissing, testWaitingAndErrors } from '@/testing/page-states';

describe('the page of a snapshot', () => {
  const path = '/api/v1/comparisons/{comparison_hash}';
  const url = `/c/${'2c26b46b'.repeat(8)}`;
  testWaitingAndErrors(url, path, { comparison, charts }, /are equivalent in CPU per request/);
  testMissing(url, path, /There is no snapshot/);
});
