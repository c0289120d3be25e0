import { extensionOf } from '../base/media-type.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { entityPath, filePath } from '../paths.ts';
import type { AttachedMedia } from '../repository/content/surroundings.ts';
import { FileViewer } from './file-viewer.tsx';
import { type NodeMedia, pictureOf } from './node-media.ts';
import type { View } from './view.ts';

interface Props {
  readonly view: View;
  readonly chosen: NodeMedia;
}

/** The media at the top of a node's page. */
export function LeadMedia({ view, chosen: { lead } }: Props) {
  if (lead === undefined) return null;
  const { root } = view;
  return (
    <figure class="viewer">
      <FileViewer showing={lead.showing} src={root + filePath(lead.file.uri)} text={view.label} root={root} />
    </figure>
  );
}

/** The media of a node, each with its thumbnail, uses and file. */
export function MediaList({ view, chosen }: Props) {
  const { around, content, root, language, source } = view;
  if (around.media.length === 0) return null;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <section aria-labelledby="page-files">
      <h2 id="page-files" {...lang}>
        Files
      </h2>
      <ul class="cards">
        {around.media.map((media) => (
          <MediaCard key={media.id} media={media} view={view} chosen={chosen} />
        ))}
      </ul>
      {around.hasMoreMedia && (
        <p {...lang}>
          These are the first {around.media.length} files.
          {source.actor.may('manage media') && (
            <>
              {' '}
              <a href={`${root}${entityPath.node(content.head.id)}/media`}>All files of this item, as JSON</a>
            </>
          )}
        </p>
      )}
    </section>
  );
}

function MediaCard({ media, view, chosen }: Props & { media: AttachedMedia }) {
  const { root, language } = view;
  const { label, file, uses } = media;
  const picture = pictureOf(media, chosen);
  return (
    <li>
      <a class="name" href={root + entityPath.media(media.id)}>
        <span class="picture">
          {/* Without `alt`: the name follows. */}
          {picture ? (
            <img src={root + filePath(picture.uri)} alt="" loading="lazy" />
          ) : (
            <span aria-hidden="true">{(file && extensionOf(file.filemime)) ?? '–'}</span>
          )}
        </span>
        <bdi>{label}</bdi>
      </a>
      <span class="facts">
        {uses.map((use) => (
          <bdi key={use.id}>{use.label}</bdi>
        ))}
        {file && <span>{file.filemime}</span>}
      </span>
      {file && (
        <a class="download" href={root + filePath(file.uri)} download {...langWithin(PAGE_LANGUAGE, language)}>
          Download<span class="unseen"> {label}</span>
        </a>
      )}
    </li>
  );
}
