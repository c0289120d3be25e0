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
import { formPage } from '../forms/form-page.tsx';
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
            {rows.map((row) => (
              <Row key={row.media.id} row={row} root={root} />
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

function Row({ row: { media, size, ...may }, root }: { row: FileRow; root: string }) {
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
