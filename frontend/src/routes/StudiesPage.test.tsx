import { describe, test } from 'vitest';
import { respond } from '@/testing/api';
import { studies } from '@/testing/documents/studies';
import { openPage, see } from '@/testing/page';
import { testWaitingAndErrors } from '@/testing/page-states';

const [first] = studies.items;
if (first === undefined) throw new Error('The document has no study.');

describe('the list of studies', () => {
  testWaitingAndErrors('/studies', '/api/v1/studies', studies, first.name);

  test('explains how to add a study when the catalogue has none', async () => {
    openPage('/studies', respond('/api/v1/studies', { items: [], next: null }));
    await see('No studies in this catalogue');
  });
});
