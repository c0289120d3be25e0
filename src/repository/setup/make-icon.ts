import { ServiceError } from '../../base/errors.ts';
import { failedUniqueness } from '../../database/errors.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { insertFile } from '../files/file-rows.ts';
import iconFile from '../files/generic-icon.png' with { type: 'file' };
import { GENERIC_ICON_URI, genericIcon } from '../files/generic-icon.ts';
import { ingest, keepIf } from '../files/ingest.ts';
import { schemeNamedBy, storeForNew } from '../files/scheme.ts';

/**
 * Makes the file of the icon that stands for media without a picture, if it is not there. Where its store cannot be used,
 * such as a bucket that is away, it is left to the next start: nobody must wait for an icon.
 */
export async function makeIcon(services: Services, actor: Actor): Promise<void> {
  if (await genericIcon(services)) return;
  const store = storeForNew(services, schemeNamedBy(services, GENERIC_ICON_URI));
  try {
    await store.storage.check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    services.warn(`the icon of media without a picture cannot be kept in ${store.name} yet`, error);
    return;
  }
  const ingested = await ingest(store, {
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
    await services.database.write([insertFile(services, actor, file, true)]);
  };
  try {
    await keepIf(ingested, save);
  } catch (error) {
    // Another process that starts at the same moment has made it.
    if (failedUniqueness(error) !== 'file.uri') throw error;
  }
}
