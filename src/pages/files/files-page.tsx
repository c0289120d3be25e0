import { countInWords } from '../../base/in-words.ts';
import { extensionOf } from '../../base/media-type.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { fileTypeInWords } from '../../field-types/display/file-type-in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { entityPath, filePath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { DerivativeList } from '../upload/derivative-list.tsx';
import { uploadPagePath } from '../upload/upload-data.ts';
import type { FileRow, FilesPageData } from './files-page-data.ts';

/** Returns the page that lists the files of an item, with the links that change them. */
export function filesPage(data: FilesPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { id, title, rows, page, pages, total } = data;
  const addressOf = (each: number) => `${root}${pathOf('nodeFiles', { node: id })}${each === 0 ? '' : `?page=${each}`}`;
  return formPage({
    site,
    heading: `Files of “${title}”`,
    isWide: true,
    styles: ['table.css', 'cards.css'],
    modules: ['derivatives.js'],
    crumbs: <ItemCrumbs address={root + entityPath.node(id)} title={title} />,
    children: (
      <>
        <Additions data={data} root={root} />
        {total === 0 && <p>This item has no files.</p>}
        {total > 0 && rows.length === 0 && <p>This list has {countInWords(pages, 'page')}.</p>}
        {rows.length > 0 && (
          <DataTable label="Files" class="rows files" caption={countInWords(total, 'file')} heads={HEADS}>
            {rows.map((row, index) => (
              <Row
                key={row.media.id}
                row={row}
                root={root}
                moves={{
                  action: root + pathOf('nodeFiles', { node: id }),
                  token: data.formToken,
                  forward: page > 0 || index > 0,
                  back: page < pages - 1 || index < rows.length - 1,
                }}
              />
            ))}
          </DataTable>
        )}
        <Pager page={page} pages={pages} addressOf={addressOf} />
        <DerivativeList
          root={root}
          node={id}
          language={PAGE_LANGUAGE}
          formToken={data.formToken}
          failures={data.failures}
        />
      </>
    ),
  });
}

const HEADS = ['Name', 'Use', 'File', 'Change'];

/** The links that add files, or a thumbnail of one's own in place of the present one. */
function Additions({ data: { id, mayAdd, thumbnail, hasThumbnail }, root }: { data: FilesPageData; root: string }) {
  const add = root + uploadPagePath('node', id);
  if (!mayAdd && thumbnail === undefined) return null;
  return (
    <ul class="chips additions">
      {mayAdd && <Addition address={`${add}?choice=files`} words="Add files" />}
      {mayAdd && <Addition address={`${add}?choice=files&use=transcript`} words="Add a transcript" />}
      {thumbnail !== undefined && (
        <Addition
          address={`${root}${uploadPagePath('media', thumbnail)}?choice=source`}
          words="Use another thumbnail"
        />
      )}
      {mayAdd && !hasThumbnail && <Addition address={`${add}?choice=files&use=thumbnail`} words="Add a thumbnail" />}
    </ul>
  );
}

function Addition({ address, words }: { address: string; words: string }) {
  return (
    <li>
      <a href={address}>{words}</a>
    </li>
  );
}

/** Where a file may move among the files of its item, and the form for it. */
interface Moves {
  readonly action: string;
  readonly token: string;
  readonly forward: boolean;
  readonly back: boolean;
}

function Row({ row: { media, size, ...may }, root, moves }: { row: FileRow; root: string; moves: Moves }) {
  const { id, label, file, uses, status } = media;
  const upload = root + uploadPagePath('media', id);
  return (
    <tr>
      <th scope="row">
        <a href={root + entityPath.media(id)}>
          <bdi>{label}</bdi>
        </a>
        {!status && <span class="soft"> not published</span>}
      </th>
      <td>
        {uses.map((use, at) => (
          <span key={use.id}>
            {at > 0 && ', '}
            <bdi {...(use.language !== undefined && langWithin(languageOf(use.language), PAGE_LANGUAGE))}>
              {use.label}
            </bdi>
          </span>
        ))}
      </td>
      <td>
        {file && (
          <a href={root + filePath(file.uri)} download>
            {fileTypeInWords(file.filemime, extensionOf(file.filemime))}
            <span class="unseen">: {label}</span>
          </a>
        )}
        {size && <span class="soft"> {readableSize(size.bytes, PAGE_LANGUAGE)}</span>}
        {size?.width && size.height && (
          <span class="soft">
            , {size.width} × {size.height} pixels
          </span>
        )}
      </td>
      <td>
        <ul class="chips">
          {may.mayReplace && <Change address={`${upload}?choice=source`} verb="Replace" label={label} />}
          {may.mayCaption && <Change address={`${upload}?choice=track`} verb="Add captions" label={label} />}
          {may.mayEdit && <Change address={root + pathOf('mediaEdit', { media: id })} verb="Edit" label={label} />}
          {moves.forward && <Move moves={moves} media={id} to="forward" words="Move up" label={label} />}
          {moves.back && <Move moves={moves} media={id} to="back" words="Move down" label={label} />}
          {may.mayDelete && (
            <Change
              address={`${root}${pathOf('mediaDelete', { media: id })}?with_files=1`}
              verb="Delete"
              label={label}
            />
          )}
        </ul>
      </td>
    </tr>
  );
}

interface MoveProps {
  readonly moves: Moves;
  readonly media: number;
  readonly to: 'forward' | 'back';
  readonly words: string;
  readonly label: string;
}

function Move({ moves: { action, token }, media, to, words, label }: MoveProps) {
  return (
    <li>
      <form method="post" action={action}>
        <FormToken token={token} />
        <input type="hidden" name="media" value={media} />
        <button type="submit" name="to" value={to} class="button quiet small">
          {words}
          <span class="unseen">: {label}</span>
        </button>
      </form>
    </li>
  );
}

function Change({ address, verb, label }: { address: string; verb: string; label: string }) {
  return (
    <li>
      <a href={address}>
        {verb}
        <span class="unseen">: {label}</span>
      </a>
    </li>
  );
}
