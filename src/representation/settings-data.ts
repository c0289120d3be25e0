/** A setting that administrators change at run time, for its form. */
export interface SettingField {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly value: boolean;
  readonly isDefault: boolean;
}

/** The data of the page of settings. */
export interface SettingsData {
  readonly settings: readonly SettingField[];
  readonly formToken: string;
}
