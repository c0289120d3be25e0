import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { MemberChoices } from './gather-members.ts';
import { MemberFields } from './member-fields.tsx';

/** The page on which an item is published or unpublished. */
export interface Publication {
  readonly id: number;
  readonly title: string;
  readonly action: 'publish' | 'unpublish';
  /** True if the item itself has this state. */
  readonly isDone: boolean;
  readonly version: number;
  readonly token: string;
  /** Undefined for an item without members. */
  readonly members: MemberChoices | undefined;
  readonly problem: string | undefined;
}

const EFFECTS: Readonly<Record<Publication['action'], string>> = {
  publish: 'Everyone who may view published content sees it, with its published media.',
  unpublish: 'Readers no longer see it, its media and its files. Nothing is deleted.',
};

/** Returns the page on which an item is published or unpublished, and which members follow. */
export function publicationPage(data: Publication, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { id, title, action, isDone, version, token, members, problem } = data;
  const back = root + entityPath.node(id);
  const verb = action === 'publish' ? 'Publish' : 'Unpublish';
  return formPage({
    site,
    heading: `${verb} “${title}”`,
    errors: problem === undefined ? [] : [{ message: problem }],
    crumbs: <ItemCrumbs address={back} title={title} />,
    children: (
      <form method="post" action={root + pathOf('nodePublication', { node: id })}>
        <FormToken token={token} />
        <input type="hidden" name="action" value={action} />
        <input type="hidden" name="version" value={version} />
        <p class="lead">
          {isDone ? `The item itself is ${action === 'publish' ? 'published' : 'unpublished'}.` : EFFECTS[action]}
        </p>
        {members && <MemberFields members={members} chosen={members.usual} alone="This item alone" root={root} />}
        <ActionBar>
          <button class="button" type="submit">
            {verb}
          </button>
          <a href={back}>Cancel</a>
        </ActionBar>
      </form>
    ),
  });
}
