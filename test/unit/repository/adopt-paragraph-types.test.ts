import { afterEach, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import { parseDocument } from '../../../src/repository/content/content.ts';
import { asSubmitted } from '../../../src/repository/content/fill/check-values.ts';
import { createContent } from '../../../src/repository/content/write/save-content.ts';
import { type OpenRepository, openRepository } from '../../../src/server/open-repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });
const TEXT = 'field_text: { label: Text, type: string }';
const REMARK = 'field_remark: { label: Remark, type: string }';
const notes = (...fields: string[]) => `paragraph_types: { note: { label: Note, fields: { ${fields.join(', ')} } } }\n`;

let open: OpenRepository | undefined;
afterEach(() => open?.close());

it('openRepository rejects a model without a paragraph type or field that holds values', async () => {
  const dataFolder = await emptyFolder();
  const modelFile = join(dataFolder, 'model.yaml');
  const openWith = async (model: string, dropsFields = false) => {
    await open?.close();
    open = undefined;
    await Bun.write(modelFile, model);
    open = await openRepository({ ...DEFAULT_SERVER_CONFIG, dataFolder, modelFile }, log, { dropsFields });
    return open;
  };

  const { services, api } = await openWith(notes(TEXT, REMARK));
  const user = await api.findUser.byId(1);
  if (user === undefined) throw new Error('there is no administrator');
  const { paragraph: kind } = api.kinds;
  const bundle = kind.bundles.get('note');
  if (bundle === undefined) throw new Error('there is no type note');
  const values = asSubmitted(
    { kind, bundle },
    { field_text: [{ value: 'a' }], field_remark: [{ value: 'b' }] },
    builtInTypes,
  );
  const actor = api.makeActor({ ...user.row, roles: [...user.roles] });
  const { head } = await createContent(services, actor, kind, bundle, values);

  await expect(openWith('')).rejects.toThrow(
    '\n  paragraph.note is no longer in the model; it holds values in 1 entity\n',
  );
  await expect(openWith(notes(TEXT))).rejects.toThrow(
    '\n  paragraph.note.field_remark is no longer in the model; it holds values in 1 entity\n',
  );
  const dropped = await openWith(notes(TEXT), true);
  const content = await dropped.api.findContent('paragraph', head.id);
  expect(content && parseDocument(content).members.field_text).toEqual([{ value: 'a' }]);
  expect(content?.document).not.toContain('field_remark');
});
