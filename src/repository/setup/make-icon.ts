import { failedUniqueness } from '../../database/errors.ts';
import type { Actor } from '../actor.ts';
import { insertFile } from '../files/file-rows.ts';
import { ingest, keepIf } from '../files/ingest.ts';
import { schemeNamedBy, storeForNew } from '../files/scheme.ts';
import iconFile from '../media/generic-icon.png' with { type: 'file' };
import { GENERIC_ICON_URI, genericIcon } from '../media/generic-icon.ts';
import type { Services } from '../services.ts';

/** Makes the file of the icon that stands for media without a picture, if it is not there. */
export async function makeIcon(services: Services, actor: Actor): Promise<void> {
  if (await genericIcon(services)) return;
  const ingested = await ingest(storeForNew(services, schemeNamedBy(services, GENERIC_ICON_URI)), {
    body: Bun.file(iconFile).stream(),
    declaredBytes: undefined,
    digests: [],
    maxBytes: undefined,
    signal: new AbortController().signal,
  });
  const save = async () => {
    const id = await services.fileIds();
    const file = {
      id,
      uuid: Bun.randomUUIDv7(),
      uri: GENERIC_ICON_URI,
      filename: 'generic.png',
      filemime: 'image/png',
      ingested,
    };
    await services.database.write([
      insertFile(services, actor, file),
      { sql: 'UPDATE file SET status = 1 WHERE id = ?', args: [id] },
    ]);
  };
  try {
    await keepIf(ingested, save);
  } catch (error) {
    // Another process that starts at the same moment has made it.
    if (failedUniqueness(error) !== 'file.uri') throw error;
  }
}
