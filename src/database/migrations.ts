import init from '../../drizzle/0000_init.sql' with { type: 'text' };
import generation from '../../drizzle/0001_generation.sql' with { type: 'text' };
import linkedMedia from '../../drizzle/0002_linked_media.sql' with { type: 'text' };
import derivatives from '../../drizzle/0003_derivatives.sql' with { type: 'text' };
import scale from '../../drizzle/0004_scale.sql' with { type: 'text' };
import loading from '../../drizzle/0005_loading.sql' with { type: 'text' };
import paragraphs from '../../drizzle/0006_paragraphs.sql' with { type: 'text' };
import mediaFollowNodes from '../../drizzle/0007_media_follow_nodes.sql' with { type: 'text' };
import nodeIdsOfImports from '../../drizzle/0008_node_ids_of_imports.sql' with { type: 'text' };
import credentialsChanged from '../../drizzle/0009_credentials_changed.sql' with { type: 'text' };
import revisionChecksum from '../../drizzle/0010_revision_checksum.sql' with { type: 'text' };

export interface Migration {
  /** The file in `drizzle`, without its extension. */
  readonly name: string;
  readonly statements: readonly string[];
}

/** Every migration in order, inside the executable. A test compares this list with the folder. */
export const migrations: readonly Migration[] = [
  { name: '0000_init', statements: split(init) },
  { name: '0001_generation', statements: split(generation) },
  { name: '0002_linked_media', statements: split(linkedMedia) },
  { name: '0003_derivatives', statements: split(derivatives) },
  { name: '0004_scale', statements: split(scale) },
  { name: '0005_loading', statements: split(loading) },
  { name: '0006_paragraphs', statements: split(paragraphs) },
  { name: '0007_media_follow_nodes', statements: split(mediaFollowNodes) },
  { name: '0008_node_ids_of_imports', statements: split(nodeIdsOfImports) },
  { name: '0009_credentials_changed', statements: split(credentialsChanged) },
  { name: '0010_revision_checksum', statements: split(revisionChecksum) },
];

function split(sql: string): string[] {
  return sql
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
