import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { SourceAttribute } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import type { MediaFacts } from '../../repository/media/media-facts.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import type { ContentView } from '../content/shown-content.ts';
import { UploadLink } from '../edit-links.tsx';
import { Descriptions, Details, FieldPanels, shownFields } from '../fields.tsx';
import { DataPanel, HistoryFoot } from '../record-foot.tsx';
import { recordPage } from '../record-page.tsx';
import { type View, viewOf } from '../view.ts';
import type { Stage } from '../viewer/stage.ts';
import { FilePanel } from './file-panel.tsx';
import { TechnicalMetadata } from './technical-metadata.tsx';

/** The attributes of a file that its panel shows. */
const OF_FILE: readonly SourceAttribute[] = ['mimetype', 'filesize', 'width', 'height'];

/** The further data of a media's page, as for nodes. */
export interface MediaPageData {
  readonly stage: Stage | undefined;
  readonly facts: MediaFacts;
}

/** Returns the page of a media: its file on the stage, what it belongs to, and the facts about the file. */
export function mediaPage(
  { content, around, links, preview }: ContentView,
  { stage, facts }: MediaPageData,
  source: PageSource,
): HtmlPage {
  const view = viewOf(content, around, source);
  const withoutRow = fieldsWithoutRow(view, facts, stage);
  const fields = shownFields(view).filter(({ name, shownAs }) => shownAs !== 'none' && !withoutRow.has(name));
  const hasRecord = fields.length > 0 || facts.technical !== undefined;
  return recordPage(
    view,
    links,
    <>
      <Belonging view={view} />
      <div class={hasRecord ? 'columns' : 'panels'}>
        {hasRecord && (
          <div class="record">
            <Descriptions fields={fields} view={view} />
            <Details fields={fields} view={view} hasPanels />
            {facts.technical && <TechnicalMetadata view={view} technical={facts.technical} />}
          </div>
        )}
        <aside>
          <FilePanel view={view} facts={facts} />
          {!preview && <UploadLink view={view} />}
          <FieldPanels fields={fields} view={view} />
          {!preview?.isNew && <DataPanel view={view} links={links} />}
        </aside>
      </div>
      <HistoryFoot view={view} links={links} />
    </>,
    { stage, styles: ['item.css'], crumbs: <BelongingCrumbs view={view} />, preview },
  );
}

/** Returns the fields of a media that its page shows elsewhere: beside its name, in the panel of its file, on the stage. */
function fieldsWithoutRow(
  { content, source, sourceField }: View,
  { file }: MediaFacts,
  stage: Stage | undefined,
): ReadonlySet<string> {
  const filled = source.model.mediaTypes.get(content.bundle.name)?.autoFilled;
  const hidden = [MEDIA_OF, USE_FIELD];
  if (file !== undefined) hidden.push(sourceField?.name ?? '', 'field_original_name', ...fieldsOf(filled, OF_FILE));
  if (stage?.kind === 'text' && stage.isWhole) hidden.push(...fieldsOf(filled, ['content']));
  return new Set(hidden);
}

function fieldsOf(
  filled: ReadonlyMap<SourceAttribute, string> | undefined,
  attributes: readonly SourceAttribute[],
): string[] {
  return attributes.flatMap((attribute) => filled?.get(attribute) ?? []);
}

const USE_FIELD = 'field_media_use';

/** The use of a media and the item to which it belongs: "Original File of View over the bay". */
function Belonging({ view }: { view: View }) {
  const nodes = targetsOf(view, MEDIA_OF);
  const uses = targetsOf(view, USE_FIELD);
  if (nodes.length === 0 && uses.length === 0) return null;
  const { root, language, source } = view;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <p class="belonging">
      {uses.map((use, at) => (
        <span key={use.id}>
          {at > 0 && ', '}
          <bdi {...langWithin(languageOf(use.language ?? source.model.defaultLanguage), language)}>{use.label}</bdi>
        </span>
      ))}
      {nodes.length > 0 && <span {...lang}>{uses.length > 0 ? ' of ' : 'Part of '}</span>}
      {nodes.map((node, at) => (
        <span key={node.id}>
          {at > 0 && ', '}
          <a href={root + entityPath.node(node.id)}>
            <bdi>{node.label}</bdi>
          </a>
        </span>
      ))}
    </p>
  );
}

/** The breadcrumbs of a media: its item. */
function BelongingCrumbs({ view }: { view: View }) {
  const nodes = targetsOf(view, MEDIA_OF);
  if (nodes.length === 0) return null;
  return (
    <nav aria-label="Part of" {...langWithin(PAGE_LANGUAGE, view.language)}>
      {nodes.map(({ id, label }, at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <a href={view.root + entityPath.node(id)}>
            <bdi>{label}</bdi>
          </a>
        </span>
      ))}
    </nav>
  );
}

function targetsOf({ around }: View, name: string): Neighbour[] {
  return around.targets.flatMap(({ field, target }) => (field === name ? [target] : []));
}
