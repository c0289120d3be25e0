/** Enhances the fields of content. Without this script every button is a request that answers the form again. */
