import type { ServiceError } from '../../src/base/errors.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';

/** A process for tests that end it: writes 3 MB into a store, says `ready` at the asked point, and waits. */
const [folder, state, key] = Bun.argv.slice(2) as [string, string, string];
const storage = await createLocalStorage(folder);

const ready = async () => {
  process.stdout.write('ready\n');
  await Bun.sleep(60_000);
};

async function* source() {
  const chunk = new Uint8Array(100_000).fill(7);
  for (let i = 0; i < 30; i++) yield chunk;
  if (state === 'writing') await ready();
}

try {
  const staged = await storage.put(key, source());
  if (state === 'kept') await staged.keep();
  if (state === 'staged' || state === 'kept') await ready();
} catch (error) {
  const { kind, publicMessage } = error as ServiceError;
  console.log(kind, publicMessage);
}
