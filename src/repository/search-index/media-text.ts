import { createHtmlParser, INLINE_ELEMENTS } from '../../base/html-parser.ts';
import { isMarkupType } from '../../base/media-type.ts';
import { searchedText } from '../../base/recognized-text/text-page.ts';
import { createTextReader, HEAD_CHARS, recognizedFormat } from '../../base/recognized-text/text-reader.ts';
import type { Fields } from '../../field-types/field-type.ts';
import type { FieldValues, MediaType } from '../../model/content-model.ts';
import type { Schemes, StoredFile } from '../files/scheme.ts';
import { storedText } from '../files/stored-text.ts';

/** Maximum number of characters of text that the index holds of a media. */
const MAX_TEXT_CHARS = 4 * 1024 * 1024;
/** Maximum number of characters of a marked-up file that are parsed: positions of words take most of hOCR. */
const MAX_MARKUP_CHARS = 64 * 1024 * 1024;
/** Elements whose content is no text of the page. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'title', 'template']);

/** The source file of a media. */
export interface SourceFile extends StoredFile {
  readonly filemime: string;
  /** As in the row (`files/file-type.ts`). */
  readonly recognizedType: string | null;
  readonly filesize: number;
  readonly storageKey: string;
}

interface TextServices extends Schemes {
  readonly fields: Fields;
  readonly warn: (message: string, cause: unknown) => void;
}

/**
 * Returns the searched text of a media: the text in its field, which editors correct, or else that of its file; at most
 * `MAX_TEXT_CHARS`. Undefined without text. Reports a file that cannot be read.
 */
export async function readMediaText(
  services: TextServices,
  type: MediaType,
  values: FieldValues,
  file: SourceFile | undefined,
): Promise<string | undefined> {
  const text = textInField(services, type, values) ?? (file && (await textOfFile(services, file)));
  const trimmed = text?.slice(0, MAX_TEXT_CHARS).trim();
  return trimmed === '' ? undefined : trimmed;
}

function textInField({ fields }: TextServices, type: MediaType, values: FieldValues): string | undefined {
  const definition = type.fieldNamed.get(type.autoFilled.get('content') ?? '');
  const item = definition && values[definition.name]?.[0];
  return item && fields.types.of(definition).searchText(item, definition);
}

/** A type for files whose type is unknown. */
const UNKNOWN_TYPE = 'application/octet-stream';

async function textOfFile(services: TextServices, file: SourceFile): Promise<string | undefined> {
  const { filemime } = file;
  const isMarkup = isMarkupType(filemime);
  if (!isMarkup && !filemime.startsWith('text/') && filemime !== UNKNOWN_TYPE) return undefined;
  try {
    const parts = storedText(services, { ...file, bytes: file.filesize });
    const { head, all } = await beginningOf(parts);
    if (recognizedFormat(head) !== undefined) return await recognizedText(all);
    if (filemime === UNKNOWN_TYPE) return undefined;
    return isMarkup ? await textOfMarkup(all) : await joined(all);
  } catch (error) {
    services.warn(`the text of ${file.uri} is not searched: its file cannot be read`, error);
    return undefined;
  }
}

/** Reads as much of a text as tells its format. The whole text is then still to be read. */
async function beginningOf(parts: AsyncGenerator<string>): Promise<{ head: string; all: AsyncIterable<string> }> {
  let head = '';
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) {
    head += next.value;
    if (head.length >= HEAD_CHARS) break;
  }
  async function* all() {
    yield head;
    yield* parts;
  }
  return { head, all: all() };
}

async function joined(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const part of parts) {
    text += part;
    if (text.length >= MAX_TEXT_CHARS) break;
  }
  return text;
}

/** Returns the words of hOCR, ALTO or PAGE XML, of all pages. */
async function recognizedText(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  const reader = createTextReader({
    page() {},
    line(line) {
      if (text.length < MAX_TEXT_CHARS) text += `${searchedText(line)} `;
    },
  });
  let parsed = 0;
  for await (const part of parts) {
    reader.push(part);
    parsed += part.length;
    if (text.length >= MAX_TEXT_CHARS || parsed >= MAX_MARKUP_CHARS) break;
  }
  reader.end();
  return text.replace(/\s+/g, ' ');
}

/** Returns the text of HTML or XML, element by element, so that words of neighbouring elements stay apart. */
async function textOfMarkup(parts: AsyncIterable<string>): Promise<string> {
  let text = '';
  let unread = 0;
  const parser = createHtmlParser({
    onopentagname(name) {
      if (UNREAD.has(name)) unread += 1;
      else if (!INLINE_ELEMENTS.has(name) && !text.endsWith(' ')) text += ' ';
    },
    ontext(data) {
      if (unread === 0) text += data;
    },
    onclosetag(name) {
      if (UNREAD.has(name)) unread -= 1;
      if (!INLINE_ELEMENTS.has(name) && !text.endsWith(' ')) text += ' ';
    },
  });
  let parsed = 0;
  for await (const part of parts) {
    parser.write(part);
    parsed += part.length;
    if (text.length >= MAX_TEXT_CHARS || parsed >= MAX_MARKUP_CHARS) break;
  }
  parser.end();
  return text.replace(/\s+/g, ' ');
}
