import type { Registry } from 'prom-client';
import type { AccountPace } from '../auth/account-pace.ts';
import type { CredentialCache } from '../auth/credential-cache.ts';
import type { FloodStore } from '../auth/flood.ts';
import type { SigningKey } from '../auth/signing-key.ts';
import type { OwnTokenVerifier } from '../auth/verify-own-token.ts';
import type { BackgroundTasks } from '../base/background-tasks.ts';
import type { UploadRate } from '../base/upload-rate.ts';
import type { BulkWaker } from '../bulk/bulk-waker.ts';
import type { FindBaseUrl } from '../http/base-url.ts';
import type { Variants } from '../http/compression.ts';
import type { Cors } from '../http/cors.ts';
import type { TrustedProxies } from '../http/trusted-proxies.ts';
import type { Images } from '../iiif/image/create-images.ts';
import type { JobServices } from '../jobs/job-planner.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { RestMethod } from '../model/rest.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { FoundCards } from '../repository/content/find-cards.ts';
import type { FindContent } from '../repository/content/find-content.ts';
import type { ContentKinds } from '../repository/content/kinds.ts';
import type { KnownTerms } from '../repository/content/known-terms.ts';
import type { ReadContent } from '../repository/content/read-content.ts';
import type { FindReadableFile } from '../repository/content/readable-files.ts';
import type { FindFile } from '../repository/files/find-file.ts';
import type { FindImage } from '../repository/media/find-image.ts';
import type { FindSettings } from '../repository/settings/find-settings.ts';
import type { FindAccount } from '../repository/users/find-account.ts';
import type { FindUser } from '../repository/users/find-user.ts';
import type { Sessions } from '../repository/users/sessions.ts';
import type { AdminData, SendAgainData, SignInData, SignOutData } from '../representation/account-data.ts';
import type {
  CancelData,
  ConfirmMailData,
  EditAccountData,
  NewAccountData,
  NewPasswordData,
  PasswordPageData,
  PeopleData,
  ResetLinkData,
  ResetRequestData,
  SessionsData,
} from '../representation/account-page-data.ts';
import type { Action } from '../representation/action.ts';
import type { ContentForm } from '../representation/content-form.ts';
import type { DeleteForm } from '../representation/delete-form.ts';
import type { DerivativesData } from '../representation/derivatives-data.ts';
import type { FixityData } from '../representation/fixity-data.ts';
import type { AccessibilityData } from '../representation/manage/accessibility-data.ts';
import type { BulkConfirmData, BulkRunData, BulkRunSummary } from '../representation/manage/bulk-data.ts';
import type { ContentListData } from '../representation/manage/content-list-data.ts';
import type { OrderPageData } from '../representation/order-data.ts';
import type {
  ContentView,
  EmbedPageData,
  MediaPageData,
  NodePageData,
  PageSource,
  ReferenceStyle,
  Site,
  SiteTheme,
  TermPageData,
  UserPageData,
  WithinPageData,
} from '../representation/page-data.ts';
import type { PermissionTable } from '../representation/permission-table.ts';
import type { RevisionContent, RevisionList, RevisionPair } from '../representation/revision-data.ts';
import type { SearchData } from '../representation/search/search-data.ts';
import type { SettingsData } from '../representation/settings-data.ts';
import type { StatusReport } from '../representation/status-report.ts';
import type { TableImportData, TableImportsData } from '../representation/table-import-data.ts';
import type { VocabulariesData, VocabularyData } from '../representation/taxonomy-data.ts';
import type { UploadPageData } from '../representation/upload-data.ts';
import type { SearchRunner } from '../search/search-types.ts';
import type { ReadForResponse } from '../storage/small-objects.ts';
import type { TableUploadFolders } from '../transfer/table-uploads/table-upload-folders.ts';
import type { Identity, KnownCallers } from './known-callers.ts';
import type { ContentAnswers } from './respond.ts';

/** An HTML page as a response. */
export interface Page {
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The text that every response replaces with a nonce, once in the body and once in the policy. */
  readonly noncePlaceholder?: string | undefined;
}

/** A file that pages load. */
interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Part of its address. */
  readonly hash: string;
  readonly variants: Variants;
}

/** Creates HTML pages. Implemented outside the API, which has no HTML of its own. */
export interface Pages {
  node(shown: ContentView, data: NodePageData, source: PageSource): Page;
  embed(shown: ContentView, data: EmbedPageData, source: PageSource): Page;
  within(shown: ContentView, data: WithinPageData, source: PageSource): Page;
  media(shown: ContentView, data: MediaPageData, source: PageSource): Page;
  term(shown: ContentView, data: TermPageData, source: PageSource): Page;
  /** Returns a node as an entry for reference managers. */
  citation(shown: ContentView, style: ReferenceStyle, source: PageSource): string;
  user(user: UserPageData, from: Site): Page;
  revisions(list: RevisionList, source: PageSource): Page;
  revision(shown: RevisionContent, source: PageSource): Page;
  comparison(pair: RevisionPair, source: PageSource): Page;
  home(data: { readonly collections: FoundCards; readonly newest: FoundCards }, from: Site): Page;
  collections(data: { readonly found: FoundCards; readonly page: number }, from: Site): Page;
  search(data: SearchData, from: Site): Page;
  permissions(table: PermissionTable, from: Site): Page;
  status(report: StatusReport, from: Site): Page;
  fixity(data: FixityData, from: Site): Page;
  derivatives(data: DerivativesData, from: Site): Page;
  settings(data: SettingsData, from: Site): Page;
  tableImports(data: TableImportsData, from: Site): Page;
  tableImport(data: TableImportData, from: Site): Page;
  error(status: number, message: string, from: Site): Page;
  signIn(data: SignInData, from: Site): Page;
  signOut(data: SignOutData, from: Site): Page;
  sendAgain(form: SendAgainData, from: Site): Page;
  admin(data: AdminData, from: Site): Page;
  contentForm(form: ContentForm, from: Site): Page;
  deleteForm(form: DeleteForm, from: Site): Page;
  vocabularies(data: VocabulariesData, from: Site): Page;
  vocabulary(data: VocabularyData, from: Site): Page;
  password(data: PasswordPageData, from: Site): Page;
  resetRequest(data: ResetRequestData, from: Site): Page;
  newPassword(data: NewPasswordData, from: Site): Page;
  resetLink(data: ResetLinkData, from: Site): Page;
  sessions(data: SessionsData, from: Site): Page;
  people(data: PeopleData, from: Site): Page;
  newAccount(data: NewAccountData, from: Site): Page;
  editAccount(data: EditAccountData, from: Site): Page;
  cancelAccount(data: CancelData, from: Site): Page;
  confirmMail(data: ConfirmMailData, from: Site): Page;
  contentList(data: ContentListData, from: Site): Page;
  accessibility(data: AccessibilityData, from: Site): Page;
  bulkConfirm(data: BulkConfirmData, from: Site): Page;
  bulkRun(data: BulkRunData, from: Site): Page;
  bulkRuns(data: { readonly runs: readonly BulkRunSummary[] }, from: Site): Page;
  action(action: Action, from: Site): Page;
  order(data: OrderPageData, from: Site): Page;
  upload(data: UploadPageData, from: Site): Page;
}

/** All services that routes use, assembled once in `server/open-repository.ts`. */
export interface ApiServices {
  readonly services: JobServices;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
  readonly content: ReadContent;
  readonly answers: ContentAnswers;
  readonly knownTerms: KnownTerms;
  readonly findFile: FindFile;
  readonly findReadableFile: FindReadableFile;
  readonly readForResponse: ReadForResponse;
  readonly findImage: FindImage;
  readonly images: Images;
  readonly search: SearchRunner;
  readonly bulk: BulkWaker;
  readonly findUser: FindUser;
  readonly findAccount: FindAccount;
  readonly findSettings: FindSettings;
  readonly makeActor: (facts: ActorFacts) => Actor;
  readonly anonymous: Actor;
  /** The identity of a caller without credentials. */
  readonly anonymousIdentity: Identity;
  readonly sessions: Sessions;
  readonly flood: FloodStore;
  readonly accountPace: AccountPace;
  readonly credentials: CredentialCache;
  readonly knownCallers: KnownCallers;
  readonly verifyToken: OwnTokenVerifier;
  readonly signingKey: SigningKey;
  /** The secret of this installation, from which CSRF tokens are derived. */
  readonly secret: Buffer;
  readonly findBaseUrl: FindBaseUrl;
  readonly proxies: TrustedProxies;
  /** Returns true if a route answers this method of a path of `paths`. Valid once the routes have been created. */
  readonly offers: (method: string, path: string) => boolean;
  /** The methods that `offers` looks up, by path, in the order of the routes. */
  readonly offered: Map<string, RestMethod[]>;
  readonly cors: Cors;
  readonly siteName: string;
  /** The mail server, and the configured address of the site for links in mails. Undefined without a mail server. */
  readonly mail: { readonly mailer: Mailer; readonly baseUrl: string } | undefined;
  /** The settings of OAI-PMH. */
  readonly oai: { readonly adminEmail: string | undefined; readonly pageSize: number };
  readonly theme: SiteTheme;
  /** The text of `/robots.txt`. */
  readonly robots: string;
  readonly pages: Pages;
  /** The work of this process that no request waits for. */
  readonly background: BackgroundTasks;
  /** The folders of uploaded tables. */
  readonly tableUploadFolders: TableUploadFolders;
  /** Reads the state of the running repository. */
  readonly readStatus: () => Promise<StatusReport>;
  /** Returns a file that pages load, by its name. */
  readonly findAsset: (name: string) => Asset | undefined;
  /** The metrics of `/metrics`. */
  readonly metrics: Registry;
  /** Name, version and license of the program. */
  readonly program: Readonly<Record<'name' | 'version' | 'license' | 'description', string>>;
  /** Changes with the program and its content model, which may represent the same version differently. Part of ETags. */
  readonly edition: string;
  readonly tokenExpirySeconds: number;
  /** Maximum size of a JSON body in bytes. */
  readonly maxJsonBytes: number;
  /** Maximum size of a file in bytes. Undefined for no limit. */
  readonly maxUploadBytes: number | undefined;
  readonly minUploadRate: UploadRate;
}
