import { ACTIONS_OF, type BulkAction } from '../../bulk/bulk-action.ts';
import { paths } from '../../paths.ts';
import type { Site } from '../../web/site.ts';
import type { ItemSource } from './bulk-data.ts';
import type { ManagedList } from './content-list-data.ts';
import { ACTION_LABELS } from './manage-words.ts';

/** Derivatives are made again from lists only: by those who may scan for them. */
const isOffered = (action: BulkAction) => action !== 'derivatives';

/** Returns true for a user with the list of a kind, from which all changes of many items start. */
export function mayChangeAll({ user }: Site, kind: ManagedList): boolean {
  const list = kind === 'node' ? paths.nodeOverview : paths.mediaOverview;
  return user?.managed?.some(({ path }) => path === list) === true;
}

interface Props {
  readonly site: Site;
  readonly root: string;
  readonly kind: ManagedList;
  readonly source: ItemSource;
  /** The items in words: `all 12 items`. */
  readonly items: string;
}

/** A form that chooses a change of all items of a source. Nothing for users without the list of their kind. */
export function BulkActionForm({ site, root, kind, source, items }: Props) {
  if (!mayChangeAll(site, kind)) return null;
  return (
    <form class="bulk-action" action={root + paths.bulkConfirm} method="get" aria-label="Bulk change">
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="all" value="1" />
      <input type="hidden" name={source.of} value={source.text} />
      <label for="bulk-action">Change {items}</label>
      <select id="bulk-action" name="action" class="short">
        {ACTIONS_OF[kind].filter(isOffered).map((action) => (
          <option key={action} value={action} selected={action === 'values'}>
            {ACTION_LABELS[action]}
          </option>
        ))}
      </select>
      <button class="button quiet" type="submit">
        Continue
      </button>
    </form>
  );
}
