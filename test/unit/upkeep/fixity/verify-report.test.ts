import { expect, it } from 'bun:test';
import { Registry } from 'prom-client';
import { addFixityFigures } from '../../../../src/upkeep/fixity/verify-report.ts';

it('the fixity metrics count damaged files and date the last check, with one query', async () => {
  const registry = new Registry();
  let looks = 0;
  addFixityFigures(registry, async () => {
    looks += 1;
    return { problems: 3, lastEnd: 1_763_803_600 };
  });
  const text = await registry.metrics();
  expect(text).toContain('\nrepo_fixity_damaged_files 3\n');
  expect(text).toContain('\nrepo_fixity_last_run_timestamp_seconds 1763803600\n');
  expect(looks).toBe(1);
});
