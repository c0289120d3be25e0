import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { ListedLink } from '../../repository/asking/access-links.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { PostButton } from '../admin/post-button.tsx';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { DataTable } from '../data-table.tsx';
import type { FormProblem } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { CopyButton } from '../item/copy-button.tsx';
import { timeText } from '../manage/manage-words.ts';

/** The page of the links that open the files of an item. */
export interface LinksData {
  readonly id: number;
  readonly title: string;
  readonly token: string;
  /** The day of the site. */
  readonly today: string;
  readonly isPublished: boolean;
  readonly isRestricted: boolean;
  readonly links: readonly ListedLink[];
  /** The address of a link that was made just now. */
  readonly link?: string;
  readonly typed?: { readonly label: string; readonly lastDay: string };
  readonly problems: readonly FormProblem[];
}

/** Returns the page on which editors make and revoke links to an item. */
export function linksPage(data: LinksData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { id, title, token, today, isPublished, isRestricted, links, link, typed, problems } = data;
  const address = root + pathOf('nodeAccessLinks', { node: id });
  return formPage({
    site,
    heading: 'Links to closed files',
    isWide: true,
    styles: ['table.css', 'account.css', 'item.css'],
    modules: ['copy.js'],
    errors: problems,
    crumbs: <ItemCrumbs address={root + entityPath.node(id)} title={title} />,
    lead: (
      <p>
        A link opens this item and its files to everyone who has it, until its last day. It opens no other item.
        {!isRestricted && ' At present nothing of this item is closed.'}
        {!isPublished && ' The item is not published: a link opens it once it is.'}
      </p>
    ),
    children: (
      <>
        {link && <NewLink address={link} />}
        <form method="post" action={address}>
          <FormToken token={token} />
          <TextInput
            name="label"
            label="For whom"
            value={typed?.label}
            help="Such as the name of a reviewer."
            required
          />
          <TextInput
            name="last_day"
            label="Last day"
            type="date"
            value={typed?.lastDay}
            help={`The link is valid on this day, too. Today is ${today}.`}
            isShort
            required
          />
          <p>
            <button class="button" type="submit">
              Make a link
            </button>
          </p>
        </form>
        <h2>Links so far</h2>
        {links.length === 0 ? (
          <p class="empty">No links yet.</p>
        ) : (
          <DataTable label="Links so far" class="rows" heads={['For', 'Last day', 'Made', 'Opened', 'State']}>
            {links.map((each) => (
              <tr key={each.id}>
                <th scope="row" dir="auto">
                  {each.label}
                </th>
                <td>{each.lastDay}</td>
                <td>
                  {timeText(each.created)} by <bdi>{each.createdBy ?? 'a deleted user'}</bdi>
                </td>
                <td>
                  {each.uses}
                  {each.lastUse !== null && `, last ${timeText(each.lastUse)}`}
                </td>
                <td>
                  <LinkState link={each} today={today} address={address} token={token} />
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </>
    ),
  });
}

interface LinkStateProps {
  readonly link: ListedLink;
  readonly today: string;
  readonly address: string;
  readonly token: string;
}

function LinkState({ link, today, address, token }: LinkStateProps) {
  if (link.revoked !== null) return <>Revoked {timeText(link.revoked)}</>;
  if (link.lastDay < today) return <>Expired</>;
  const fields = { revoke: String(link.id) };
  return (
    <>
      Valid{' '}
      <PostButton
        action={address}
        formToken={token}
        label="Revoke"
        about={`the link for ${link.label}`}
        fields={fields}
        isSecondary
      />
    </>
  );
}

/** A link that no page shows again. */
export function NewLink({ address }: { readonly address: string }) {
  return (
    <>
      <p>Copy this link now: it is not shown again. Give it to the reader in a way that nobody else can read.</p>
      <p class="made-link">
        <span id="made-link">{address}</span>
        <CopyButton copies="made-link" what="the link" />
      </p>
    </>
  );
}
