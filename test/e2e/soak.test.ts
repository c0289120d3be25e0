import { expect, it } from 'bun:test';
import { join } from 'node:path';
import { sized } from '../support/size.ts';

const SOAK = join(import.meta.dir, '..', 'bench', 'soak.ts');
/** The figures that hold in any run. The times need a longer one, on a machine that does nothing else. */
const FAULTS = ['requests that failed', 'jobs that failed', 'warnings and errors in the log'];

it('a short soak run has no failed requests, failed jobs or warnings', async () => {
  const child = Bun.spawn([process.execPath, SOAK], {
    env: { ...process.env, REPO_SOAK_MINUTES: sized('0.04', '0.1') },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const shown = await new Response(child.stdout).text();
  expect({ code: await child.exited, shown }).toEqual({ code: 0, shown: expect.stringContaining('Soak of') });
  for (const fault of FAULTS) expect(shown).toMatch(new RegExp(`met +${fault} +0 \\(at most 0\\)`));
}, 120_000);
