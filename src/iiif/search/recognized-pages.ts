import { Cache } from '../../base/cache.ts';
import { madeOnce } from '../../base/made-once.ts';
import type { ShowableFile } from '../../repository/content/lists/showable.ts';
import type { Schemes } from '../../repository/files/scheme.ts';
import type { RecognizedPage } from '../presentation/read-hocr.ts';
import { MAX_HOCR_BYTES, readHocrFile } from '../presentation/read-hocr-file.ts';

/** Some 300 pages of a book, so that the requests of one search parse each page once. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_ENTRY_BYTES = 4 * 1024 * 1024;

/** The recognized text of pages, parsed once. */
export interface RecognizedPages {
  /** Returns the text of a file; without lines for a file that is too large or too complex to be read. */
  read(file: ShowableFile): Promise<RecognizedPage>;
}

const NOTHING: RecognizedPage = { box: undefined, lines: [] };

/** Returns the texts of a repository, the same for all requests. */
export const recognizedPages = madeOnce(createRecognizedPages);

function createRecognizedPages(services: Schemes): RecognizedPages {
  const cache = new Cache<{ readonly page: RecognizedPage; readonly bytes: number }>({
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_ENTRY_BYTES,
    // A parsed page takes about as much as its file.
    bytesOf: ({ bytes }) => bytes,
  });
  return {
    async read(file) {
      if (file.bytes > MAX_HOCR_BYTES) return NOTHING;
      // A stored object never changes.
      const known = cache.get(file.storageKey);
      if (known !== undefined) return known.page;
      const page = (await readHocrFile(services, file)) ?? NOTHING;
      cache.set(file.storageKey, { page, bytes: file.bytes });
      return page;
    },
  };
}
