import type { Actor } from '../actor.ts';
import { hostsOf, readHosts } from '../content/paragraph-hosts.ts';
import { CONTENT_ACCESS } from '../paragraph-access.ts';
import type { Services } from '../services.ts';

/** More referrers than this are not asked: a file that a hundred hidden things use is taken for hidden. */
const MAX_REFERRERS = 100;

const QUERY = `
  SELECT 'media', m.bundle, m.owner_id, m.status, '[]' FROM reference r JOIN media m ON m.id = r.source_id
    WHERE r.target_type = 'file' AND r.target_id = ?1 AND r.source_type = 'media'
  UNION ALL
  SELECT 'node', n.bundle, n.owner_id, n.status, '[]' FROM reference r JOIN node n ON n.id = r.source_id
    WHERE r.target_type = 'file' AND r.target_id = ?1 AND r.source_type = 'node'
  UNION ALL
  SELECT 'paragraph', p.bundle, p.owner_id, p.status, ${hostsOf('p')} FROM reference r JOIN paragraph p ON p.id = r.source_id
    WHERE r.target_type = 'file' AND r.target_id = ?1 AND r.source_type = 'paragraph'
  LIMIT ${MAX_REFERRERS}`;

type Referrer = [type: 'media' | 'node' | 'paragraph', bundle: string, ownerId: number, status: number, hosts: string];

/** Whether the actor may view a node, media or paragraph that refers to the file: what a file outside of public storage hangs on. */
export async function seesReferrerOf(services: Services, actor: Actor, fileId: number): Promise<boolean> {
  const sql = `SELECT * FROM (${QUERY})`;
  const { rows } = await services.database.client.execute({ sql, args: [fileId] });
  return rows.some((row) => {
    const [type, bundle, ownerId, status, hosts] = row as unknown as Referrer;
    const facts = { bundle, ownerId, status: status === 1, hosts: readHosts(hosts) };
    return CONTENT_ACCESS[type].view(actor, facts).isAllowed;
  });
}
