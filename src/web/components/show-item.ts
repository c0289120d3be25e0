import type { ComponentChild } from 'preact';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import type { View } from '../view.ts';

/** How the items of a type of field are shown; undefined where there is nothing to show. */
export type ShowItem = (item: Item, definition: FieldDefinition, view: View) => ComponentChild | undefined;
