#include "record/hdf5.h"

#ifdef PKI_HAVE_HDF5

#include <string.h>

enum { CHUNK_VALUES = 1 << 15 }; /* numbers that are compressed together */

hid_t pki_hdf5_text_type(void)
{
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

bool pki_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, int count)
{
  const hsize_t size = (hsize_t)(count < 0 ? 1 : count);
  const hid_t type = pki_hdf5_text_type();
  const hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
  if (attribute >= 0) {
    H5Aclose(attribute);
  }
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

bool pki_hdf5_put_text(hid_t object, const char *name, const char *text)
{
  return pki_hdf5_put_texts(object, name, &text, -1);
}

bool pki_hdf5_put_number(hid_t object, const char *name, hid_t type, const void *value)
{
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) {
    H5Aclose(attribute);
  }
  H5Sclose(space);
  return good;
}

/* The groups on the way to a name, each once, without the time of day; `name` itself is made when it ends with a
 * slash. */
bool pki_hdf5_make_groups(hid_t place, const char *name)
{
  char part[512];
  bool good = strlen(name) < sizeof part;
  const hid_t made = H5Pcreate(H5P_GROUP_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_obj_track_times(made, 0);
  H5Pset_char_encoding(links, H5T_CSET_UTF8);
  for (const char *slash = name; good && (slash = strchr(slash, '/')) != NULL; slash++) {
    if (slash == name) {
      continue;
    }
    memcpy(part, name, (size_t)(slash - name));
    part[slash - name] = '\0';
    if (H5Lexists(place, part, H5P_DEFAULT) <= 0) {
      const hid_t group = H5Gcreate2(place, part, links, made, H5P_DEFAULT);
      good = group >= 0 && H5Gclose(group) >= 0;
    }
  }
  H5Pclose(made);
  H5Pclose(links);
  return good;
}

/* How a data set is stored: compressed where that is built in, and without the time of day. */
static hid_t storage_list(int rank, const hsize_t *size)
{
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(list, 0);
  if (rank > 0 && size[0] > 0) {
    const hsize_t columns = rank > 1 ? size[1] : 1;
    const hsize_t rows = columns < CHUNK_VALUES ? CHUNK_VALUES / columns : 1;
    const hsize_t chunk[2] = {rows < size[0] ? rows : size[0], columns};
    H5Pset_chunk(list, rank, chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
      H5Pset_shuffle(list);
      H5Pset_deflate(list, 1);
    }
  }
  return list;
}

hid_t pki_hdf5_put_data(hid_t place, const char *name, hid_t type, int rank, const hsize_t *size,
                        const void *values)
{
  if (!pki_hdf5_make_groups(place, name)) {
    return -1;
  }
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), storage = storage_list(rank, size);
  H5Pset_char_encoding(links, H5T_CSET_UTF8);
  const hid_t space = rank > 0 ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(place, name, type, space, links, storage, H5P_DEFAULT);
  const bool empty = rank > 0 && size[0] == 0;
  if (set >= 0 && !empty && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
    H5Dclose(set);
    set = -1;
  }
  H5Sclose(space);
  H5Pclose(storage);
  H5Pclose(links);
  return set;
}

#endif
