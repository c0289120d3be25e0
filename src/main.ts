import { run } from './cli/run.ts';

process.exitCode = await run(Bun.argv.slice(2));
