/** The function of postject that is used here. */
declare module "postject" {
  export const inject: (
    filename: string,
    resourceName: string,
    resourceData: Buffer,
    options: { readonly sentinelFuse: string }
  ) => Promise<void>
}
