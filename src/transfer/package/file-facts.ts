import { ServiceError } from '../../base/errors.ts';
import { hasControls } from '../../http/content-disposition.ts';
import type { Services } from '../../repository/content/services.ts';
import { parseDestination } from '../../repository/files/content-location.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import { storeForNew } from '../../repository/files/scheme.ts';
import { BAD_TIME, firstValue, readTime, textsOf } from './document-facts.ts';
import { isUuid } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';
import type { PackedBytes } from './read-package.ts';

const MAX_NAME_CHARS = 255;
const MIME_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** The checked facts of a file of a package. */
export interface FileFacts {
  readonly uuid: string;
  readonly langcode: string;
  readonly uri: string;
  readonly filename: string;
  readonly filemime: string;
  readonly filesize: number;
  readonly sha256: string;
  readonly created: number;
  readonly changed: number;
  readonly owner: string | undefined;
  /** The scheme that will store its bytes. */
  readonly store: Scheme;
  readonly content: NonNullable<PackedBytes['content']>;
}

/** Returns the facts in the record of a file, or its problems. Does not read the bytes of the file. */
export function fileFacts(services: Services, packed: PackedBytes): FileFacts | PackageProblem[] {
  const { uuid, path, document, content } = packed;
  const problems: PackageProblem[] = [];
  const problem = (member: string, message: string) => problems.push({ path: `${path} ${member}`, message });
  const [uri, filename, filemime, filesize, sha256] = ['uri', 'filename', 'filemime', 'filesize', 'sha256'].map(
    (name) => firstValue(document, name),
  );
  const store = typeof uri === 'string' ? storeOf(services, uri, (message) => problem('uri', message)) : undefined;
  if (typeof uri !== 'string') problem('uri', 'It must be a URI such as public://2026-11/page.png.');
  if (typeof filename !== 'string' || !isName(filename))
    problem(
      'filename',
      `It must be a name of 1 to ${MAX_NAME_CHARS} characters, without slashes and control characters.`,
    );
  if (typeof filemime !== 'string' || !MIME_TYPE.test(filemime))
    problem('filemime', 'It must be a media type such as image/png.');
  if (typeof sha256 !== 'string' || !SHA256.test(sha256))
    problem('sha256', 'It must be a SHA-256 in lower-case hexadecimal.');
  const [created, changed] = [readTime(document, 'created'), readTime(document, 'changed')];
  if (created === undefined) problem('created', BAD_TIME);
  if (changed === undefined) problem('changed', BAD_TIME);
  if (content === undefined)
    problems.push({ path, message: `Its bytes are missing: there is no file files/${uuid}/….` });
  else if (content.file.bytes !== filesize)
    problems.push({ path: content.path, message: `It has ${content.file.bytes} bytes; its record says ${filesize}.` });
  else if (content.file.sha256 !== undefined && content.file.sha256 !== sha256)
    problems.push({ path: content.path, message: `Its SHA-256 is ${content.file.sha256}; its record says ${sha256}.` });
  if (problems.length > 0) return problems;
  const owner = textsOf(document, 'uid', 'target_uuid').find(isUuid);
  const stated = firstValue(document, 'langcode');
  const langcode = services.model.languages.find((language) => language === stated) ?? services.model.defaultLanguage;
  return {
    uuid,
    langcode,
    uri,
    filename,
    filemime,
    filesize,
    sha256,
    created,
    changed,
    owner,
    store,
    content,
  } as FileFacts;
}

function storeOf(services: Services, uri: string, problem: (message: string) => void): Scheme | undefined {
  try {
    return storeForNew(services, parseDestination(services, uri).scheme);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const known = [...services.schemes.keys()].map((name) => `${name}://`).join(', ');
    problem(`${JSON.stringify(uri.slice(0, 200))} is no valid URI in this repository, which has ${known}.`);
    return undefined;
  }
}

function isName(name: string): boolean {
  const isLength = name !== '' && [...name].length <= MAX_NAME_CHARS;
  return isLength && !hasControls(name) && !/[/\\]/.test(name) && name !== '.' && name !== '..' && name.isWellFormed();
}
