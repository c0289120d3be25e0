import { readFileSync } from 'node:fs';
import altcha from '../../../node_modules/.browser/altcha.client.js' with { type: 'file' };
import dateFunctions from '../../../node_modules/.browser/date-functions.client.js' with { type: 'file' };
import squire from '../../../node_modules/.browser/squire.client.js' with { type: 'file' };
import type { Variants } from '../../http/compression.ts';
import { pathOf } from '../../paths.ts';
import accountStyle from '../account/account.css' with { type: 'file' };
import passwordModule from '../account/password.client.js' with { type: 'file' };
import reportStyle from '../admin/report.css' with { type: 'file' };
import cardStyle from '../cards/cards.css' with { type: 'file' };
import challengeModule from '../challenge/challenge.client.js' with { type: 'file' };
import citeStyle from '../cite/cite.css' with { type: 'file' };
import previewStyle from '../edit/preview.css' with { type: 'file' };
import afterPressModule from '../forms/after-press.client.js' with { type: 'file' };
import checkTextModule from '../forms/check-text.client.js' with { type: 'file' };
import checksModule from '../forms/checks.client.js' with { type: 'file' };
import datesModule from '../forms/dates.client.js' with { type: 'file' };
import dragModule from '../forms/drag-rows.client.js' with { type: 'file' };
import errorsModule from '../forms/errors.client.js' with { type: 'file' };
import fieldsModule from '../forms/fields.client.js' with { type: 'file' };
import fieldsStyle from '../forms/fields.css' with { type: 'file' };
import formModule from '../forms/form.client.js' with { type: 'file' };
import formStyle from '../forms/form.css' with { type: 'file' };
import groupsStyle from '../forms/groups.css' with { type: 'file' };
import nameTextsModule from '../forms/name-texts.client.js' with { type: 'file' };
import newTermsModule from '../forms/new-terms.client.js' with { type: 'file' };
import noticeModule from '../forms/notice.client.js' with { type: 'file' };
import offeredFieldsModule from '../forms/offered-fields.client.js' with { type: 'file' };
import referencesModule from '../forms/references.client.js' with { type: 'file' };
import richHtmlModule from '../forms/rich-html.client.js' with { type: 'file' };
import richTextModule from '../forms/rich-text.client.js' with { type: 'file' };
import rowsModule from '../forms/rows.client.js' with { type: 'file' };
import tableStyle from '../forms/table.css' with { type: 'file' };
import textToolsModule from '../forms/text-tools.client.js' with { type: 'file' };
import copyModule from '../item/copy.client.js' with { type: 'file' };
import embedStyle from '../item/embed.css' with { type: 'file' };
import itemStyle from '../item/item.css' with { type: 'file' };
import withinStyle from '../item/within.css' with { type: 'file' };
import bulkActionStyle from '../manage/bulk-action.css' with { type: 'file' };
import bulkListModule from '../manage/bulk-list.client.js' with { type: 'file' };
import bulkTermModule from '../manage/bulk-term.client.js' with { type: 'file' };
import manageStyle from '../manage/manage.css' with { type: 'file' };
import orderModule from '../order/order.client.js' with { type: 'file' };
import orderStyle from '../order/order.css' with { type: 'file' };
import orderListModule from '../order/order-list.client.js' with { type: 'file' };
import revisionsStyle from '../revisions/revisions.css' with { type: 'file' };
import facetStyle from '../search/facets.css' with { type: 'file' };
import findModule from '../search/find.client.js' with { type: 'file' };
import findStyle from '../search/find.css' with { type: 'file' };
import searchStyle from '../search/search.css' with { type: 'file' };
import siteStyle from '../site/site.css' with { type: 'file' };
import comboboxModule from './combobox.client.js' with { type: 'file' };
import errorStyle from './error.css' with { type: 'file' };
import faviconFallback from './favicon.ico' with { type: 'file' };
import favicon from './favicon.svg' with { type: 'file' };
import frameStyle from './frame.css' with { type: 'file' };
import printStyle from './frame-print.css' with { type: 'file' };
import { PDF_FILES } from './pdf-files.ts';
import progressModule from './progress.client.js' with { type: 'file' };
import recordStyle from './record.css' with { type: 'file' };
import scrollFrameStyle from './scroll-frame.css' with { type: 'file' };
import tokens from './tokens.css' with { type: 'file' };
import { UPLOAD_FILES } from './upload-files.ts';
import valuesStyle from './values.css' with { type: 'file' };
import { VIEWER_FILES } from './viewer-files.ts';
import wayStyle from './way.css' with { type: 'file' };
import worldOutline from './world.svg' with { type: 'file' };

const STYLE = 'text/css; charset=utf-8';
const MODULE = 'text/javascript; charset=utf-8';

/** A file of the pages, embedded in the executable. */
interface EmbeddedAsset {
  /** The paths of the embedded files that form it. */
  readonly files: readonly string[];
  readonly type: string;
}

/** All files that pages load, by name. */
const ASSETS = {
  'frame.css': { files: [tokens, frameStyle, wayStyle, findStyle, scrollFrameStyle, printStyle], type: STYLE },
  'find.js': { files: [findModule], type: MODULE },
  'copy.js': { files: [copyModule], type: MODULE },
  'cards.css': { files: [cardStyle], type: STYLE },
  'embed.css': { files: [embedStyle], type: STYLE },
  'error.css': { files: [errorStyle], type: STYLE },
  'form.css': { files: [formStyle], type: STYLE },
  'table.css': { files: [tableStyle], type: STYLE },
  'fields.css': { files: [tableStyle, fieldsStyle, groupsStyle], type: STYLE },
  'fields.js': { files: [fieldsModule], type: MODULE },
  'after-press.js': { files: [afterPressModule], type: MODULE },
  'name-texts.js': { files: [nameTextsModule], type: MODULE },
  'new-terms.js': { files: [newTermsModule], type: MODULE },
  'check-text.js': { files: [checkTextModule], type: MODULE },
  'checks.js': { files: [checksModule], type: MODULE },
  'combobox.js': { files: [comboboxModule], type: MODULE },
  'progress.js': { files: [progressModule], type: MODULE },
  'date-functions.js': { files: [dateFunctions], type: MODULE },
  'dates.js': { files: [datesModule], type: MODULE },
  'errors.js': { files: [errorsModule], type: MODULE },
  'references.js': { files: [referencesModule], type: MODULE },
  'offered-fields.js': { files: [offeredFieldsModule], type: MODULE },
  'rich-html.js': { files: [richHtmlModule], type: MODULE },
  'rich-text.js': { files: [richTextModule], type: MODULE },
  'text-tools.js': { files: [textToolsModule], type: MODULE },
  'squire.js': { files: [squire], type: MODULE },
  'altcha.js': { files: [altcha], type: MODULE },
  'challenge.js': { files: [challengeModule], type: MODULE },
  'rows.js': { files: [rowsModule], type: MODULE },
  'drag-rows.js': { files: [dragModule], type: MODULE },
  'form.js': { files: [formModule], type: MODULE },
  'preview.css': { files: [previewStyle], type: STYLE },
  'account.css': { files: [accountStyle], type: STYLE },
  'password.js': { files: [passwordModule], type: MODULE },
  'notice.js': { files: [noticeModule], type: MODULE },
  'item.css': { files: [itemStyle, citeStyle, withinStyle], type: STYLE },
  'bulk-action.css': { files: [bulkActionStyle], type: STYLE },
  'manage.css': { files: [manageStyle], type: STYLE },
  'bulk-list.js': { files: [bulkListModule], type: MODULE },
  'order.css': { files: [orderStyle], type: STYLE },
  'order.js': { files: [orderModule], type: MODULE },
  'order-list.js': { files: [orderListModule], type: MODULE },
  'bulk-term.js': { files: [bulkTermModule], type: MODULE },
  'record.css': { files: [recordStyle, valuesStyle], type: STYLE },
  'report.css': { files: [reportStyle], type: STYLE },
  'revisions.css': { files: [revisionsStyle], type: STYLE },
  'world.svg': { files: [worldOutline], type: 'image/svg+xml' },
  ...VIEWER_FILES,
  ...PDF_FILES,
  ...UPLOAD_FILES,
  'favicon.ico': { files: [faviconFallback], type: 'image/x-icon' },
  'favicon.svg': { files: [favicon], type: 'image/svg+xml' },
  'search.css': { files: [searchStyle, facetStyle], type: STYLE },
  'site.css': { files: [siteStyle], type: STYLE },
} as const satisfies Record<string, EmbeddedAsset>;

/** The name of an embedded file. */
export type AssetName = keyof typeof ASSETS;

/** A file at an address that contains the hash of its bytes. */
export interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly hash: string;
  /** Its compressed variants, which the first requests create. */
  readonly variants: Variants;
}

const HASH_CHARS = 16;

/** Creates an asset from its bytes. */
export function createAsset(bytes: Uint8Array<ArrayBuffer>, type: string): Asset {
  return {
    bytes,
    type,
    variants: new Map(),
    hash: new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, HASH_CHARS),
  };
}

/** Embedded files that were read: their number and size are those of the program. */
const read = new Map<string, Asset>();

/** Returns an embedded asset, which is read when it is first needed. Undefined for an unknown name. */
export function findAsset(name: string): Asset | undefined {
  const known = read.get(name);
  if (known !== undefined || !Object.hasOwn(ASSETS, name)) return known;
  const { files, type } = ASSETS[name as AssetName];
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  const asset = createAsset(
    new Uint8Array(type === MODULE ? Buffer.from(withAddresses(bytes.toString())) : bytes),
    type,
  );
  read.set(name, asset);
  return asset;
}

/** An import of one of our own modules from another: `from './name.client.js'`. */
const IMPORT = /(?<=\bfrom ')\.{1,2}\/[\w./-]*?([\w-]+)\.client\.js(?=';)/g;

/** Returns the text of a module, which imports other modules by their addresses beside its own. */
function withAddresses(source: string): string {
  return source.replace(IMPORT, (_path, name: string) => `../${findAsset(`${name}.js`)?.hash}/${name}.js`);
}

/** Returns the address of an embedded asset, without the root of the site. */
export function assetPath(name: AssetName): string {
  return pathOf('asset', { hash: findAsset(name)?.hash ?? '', '*': name });
}
