/** The fields of the dates between which a person, family or organisation lived or was active. */
export const TERM_DATE_FIELDS = { dateBegin: 'field_cat_date_begin', dateEnd: 'field_cat_date_end' } as const;
