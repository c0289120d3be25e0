import { writeFileSync } from 'node:fs';

/** Runs a command in this small process, and writes its peak memory in bytes to a file: `measuring-child.ts FILE COMMAND…`. */
const [file = '', ...command] = process.argv.slice(2);
const { exitCode, resourceUsage } = Bun.spawnSync(command, { stdio: ['ignore', 'inherit', 'inherit'] });
writeFileSync(file, String(resourceUsage?.maxRSS ?? 0));
process.exitCode = exitCode;
