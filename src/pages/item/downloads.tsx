import type { ComponentChild } from 'preact';
import { countInWords, numberText } from '../../base/in-words.ts';
import { extensionOf } from '../../base/media-type.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { entityPath, filePath } from '../../paths.ts';
import { replaceSourceAccess } from '../../repository/access.ts';
import type { AttachedFiles, FileSize } from '../../repository/content/read/find-attached-files.ts';
import type { AttachedMedia } from '../../repository/content/read/surroundings.ts';
import { TRACK_FIELD } from '../../repository/uploads/attach-target.ts';
import { type AddressedList, listAddress } from '../cards/list-address.ts';
import { Pager } from '../cards/pager.tsx';
import type { PageQuery } from '../content/page-query.ts';
import { uploadPagePath } from '../upload/upload-data.ts';
import type { View } from '../view.ts';

/** The uses of files for readers, in their order. Files of other uses, such as technical metadata, follow folded. */
const READER_USES: readonly string[] = [
  MEDIA_USE_URI.original,
  MEDIA_USE_URI.service,
  MEDIA_USE_URI.preservation,
  MEDIA_USE_URI.transcript,
  MEDIA_USE_URI.extractedText,
];

/** The number of files on the page of an item, and on a page of the list of all. */
const FIRST_FILES = 20;
const FILES_PER_PAGE = 48;
const ANCHOR = 'files';

interface Props {
  readonly view: View;
  readonly sizes: AttachedFiles['sizes'];
  readonly query: PageQuery;
}

/** The files of an item that the caller may read, each with its use, type and size in words. */
export function Downloads({ view, sizes, query }: Props) {
  const { around, content, root, language } = view;
  const { length } = around.media;
  if (length === 0) return null;
  const list = { path: root + entityPath.node(content.head.id), query, anchor: ANCHOR };
  const rowOf = (media: AttachedMedia) => (
    <Download
      key={media.id}
      media={media}
      size={media.file && sizes[media.file.id]}
      view={view}
      isNamed={length > FIRST_FILES}
    />
  );
  return (
    <section id={ANCHOR} class="panel downloads" aria-labelledby="page-files" {...langWithin(PAGE_LANGUAGE, language)}>
      <h2 id="page-files">Download</h2>
      {query.files === undefined ? (
        <FirstFiles media={around.media} rowOf={rowOf} />
      ) : (
        <FilesOfPage media={around.media} page={query.files} rowOf={rowOf} list={list} language={language} />
      )}
      {query.files === undefined && length > FIRST_FILES && (
        <p class="more">
          <a href={listAddress(list, { files: 0 })}>All {numberText(length)} files</a>
        </p>
      )}
    </section>
  );
}

interface FilesProps {
  readonly media: readonly AttachedMedia[];
  rowOf(media: AttachedMedia): ComponentChild;
}

/** The first files: those for readers, then the others, folded. */
function FirstFiles({ media, rowOf }: FilesProps) {
  const first = inOrder(media).slice(0, FIRST_FILES);
  const forReaders = first.filter((each) => rankOf(each) < READER_USES.length);
  const others = first.slice(forReaders.length);
  return (
    <>
      {forReaders.length > 0 && <ul>{forReaders.map(rowOf)}</ul>}
      {others.length > 0 && (
        <details open={forReaders.length === 0}>
          <summary>{forReaders.length === 0 ? 'Files' : 'Other files'}</summary>
          <ul>{others.map(rowOf)}</ul>
        </details>
      )}
    </>
  );
}

/** A page of the list of all files. */
function FilesOfPage({
  media,
  rowOf,
  page,
  list,
  language,
}: FilesProps & { page: number; list: AddressedList; language: string }) {
  const pages = Math.ceil(media.length / FILES_PER_PAGE);
  const shown = inOrder(media).slice(page * FILES_PER_PAGE, (page + 1) * FILES_PER_PAGE);
  return (
    <>
      <p>{countInWords(media.length, 'file')}</p>
      {shown.length > 0 ? <ul>{shown.map(rowOf)}</ul> : <p>This list ends at page {numberText(pages)}.</p>}
      <Pager page={page} pages={pages} language={language} addressOf={(each) => listAddress(list, { files: each })} />
    </>
  );
}

/** Returns media in the order of their uses, and otherwise in their own. */
function inOrder(media: readonly AttachedMedia[]): readonly AttachedMedia[] {
  return media.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** Returns the place of a media's use among those for readers; behind them all for any other use. */
function rankOf({ uses }: AttachedMedia): number {
  const uris = new Set(uses.map(({ externalUri }) => externalUri));
  const rank = READER_USES.findIndex((uri) => uris.has(uri));
  return rank < 0 ? READER_USES.length : rank;
}

interface DownloadProps {
  readonly media: AttachedMedia;
  readonly size: FileSize | undefined;
  readonly view: View;
  /** True if the name of the media is shown, which tells many files of one type apart. */
  readonly isNamed: boolean;
}

function Download({ media, size, view, isNamed }: DownloadProps) {
  const { id, label, file, uses } = media;
  const about = view.root + entityPath.media(id);
  return (
    <li>
      {file ? (
        <>
          <a class="download" href={view.root + filePath(file.uri)} download>
            {capitalised(fileTypeInWords(file.filemime, extensionIn(file.uri) ?? extensionOf(file.filemime)))}
            <span class={isNamed ? undefined : 'unseen'}>
              {' '}
              <bdi>{label}</bdi>
            </span>
          </a>
          {size && <>, {readableSize(size.bytes, PAGE_LANGUAGE)}</>}
        </>
      ) : (
        <bdi>{label}</bdi>
      )}
      <span class="facts">
        {uses.map((use) => (
          <bdi key={use.id}>{use.label}</bdi>
        ))}
        {size?.width && size.height && (
          <span>
            {size.width} × {size.height} pixels
          </span>
        )}
        <a href={about}>
          About this file<span class="unseen">: {label}</span>
        </a>
        <FileLinks media={media} view={view} />
      </span>
    </li>
  );
}

/** The links that change a file, for callers who may. */
function FileLinks({ media, view: { source, root } }: Pick<DownloadProps, 'media' | 'view'>) {
  const { actor, model } = source;
  if (!actor.isAuthenticated || !replaceSourceAccess(actor, media).isAllowed) return null;
  const path = root + uploadPagePath('media', media.id);
  const hasTracks = model.mediaTypes.get(media.bundle)?.fieldNamed.has(TRACK_FIELD);
  return (
    <>
      <a href={`${path}?choice=source`}>
        Replace<span class="unseen">: {media.label}</span>
      </a>
      {hasTracks && (
        <a href={`${path}?choice=track`}>
          Add captions<span class="unseen">: {media.label}</span>
        </a>
      )}
    </>
  );
}

/** Returns the extension at the end of a file's address. */
function extensionIn(uri: string): string | undefined {
  return /\.([A-Za-z0-9]{1,5})$/.exec(uri)?.[1]?.toLowerCase();
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
