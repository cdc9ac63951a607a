/* The table of elements: frame of a file, bodies and assets here, what follows them in mjcf_spec_more.c. It holds what
 * MuJoCo 2.2 to 3.14 know: a file may be older or newer than another. */
#include "model/mjcf/mjcf_spec.h"

#include <stdlib.h>
#include <string.h>

#include "model/mjcf/mjcf_rows.h"

/* Attributes that several elements share. */
static const struct {
  const char *word, *attributes;
} groups[] = {
    {"orient", "quat:4 axisangle:4 xyaxes:6 zaxis:3 euler:3"},
    {"sol", "solref:1-2 solimp:1-5"},
    {"sollimit", "solreflimit:1-2 solimplimit:1-5 solreffriction:1-2 solimpfriction:1-5"},
    {"actuator", "name&^ class&^ group#1 nsample#1 interp=zoh|linear|cubic delay:1 ctrlrange:2 user:* "
                 "forcelimited=false|true|auto forcerange:2"},
    {"control", "ctrllimited=false|true|auto"},
    {"activation", "actlimited=false|true|auto actrange:2"},
    {"drive", "lengthrange^:2 gear:1-6 damping:1-3 armature:1 cranklength:1"},
    {"target", "joint&^ jointinparent&^ tendon&^ slidersite&^ cranksite&^ site&^ refsite&^"},
    {"sensor", "name& nsample#1 interp=zoh|linear|cubic delay:1 interval:1-2 cutoff:1 noise:1 user:*"},
    {"object", "objtype!=body|xbody|geom|site|camera objname&!"},
    {"reference", "reftype=body|xbody|geom|site|camera refname&"},
    {"equality", "name& class& active=false|true @sol"},
    {"ends", "body1& body2& site1& site2& anchor:3"},
    {"sides", "geom1& geom2& body1& body2&"},
    {"tendon",
     "name&^ class&^ group#1 limited=false|true|auto actuatorfrclimited=false|true|auto range:2 "
     "actuatorfrcrange:2 @sollimit frictionloss:1 springlength:1-2 margin:1 stiffness:1-3 damping:1-3 "
     "armature:1 user:* width:1 material& rgba:4"},
};

static const pki_mjcf_row rows[] = {
    {"mujoco", "model",
     "compiler option size statistic visual default extension asset worldbody deformable contact tendon "
     "equality "
     "actuator sensor custom keyframe"},
    {"compiler",
     "autolimits=false|true boundmass:1 boundinertia:1 settotalmass:1 balanceinertia=false|true "
     "strippath=false|true coordinate=local|global angle=radian|degree fitaabb=false|true eulerseq meshdir "
     "texturedir assetdir discardvisual=false|true convexhull=false|true usethread=false|true "
     "fusestatic=false|true inertiafromgeom=false|true|auto inertiagrouprange#2 exactmeshinertia=false|true "
     "saveinertial=false|true alignfree=false|true conflict=warning|merge|error",
     "lengthrange?"},
    {"lengthrange",
     "mode=none|muscle|muscleuser|all useexisting=false|true uselimit=false|true accel:1 maxforce:1 "
     "timeconst:1 "
     "timestep:1 inttotal:1 interval:1 tolrange:1",
     ""},
    {"option",
     "timestep:1 apirate:1 impratio:1 tolerance:1 ls_tolerance:1 noslip_tolerance:1 mpr_tolerance:1 "
     "ccd_tolerance:1 sleep_tolerance:1 gravity:3 wind:3 magnetic:3 density:1 viscosity:1 o_margin:1 "
     "o_solref:1-2 o_solimp:1-5 o_friction:1-5 integrator=Euler|RK4|implicit|implicitfast "
     "collision=all|predefined|dynamic cone=pyramidal|elliptic jacobian=dense|sparse|auto "
     "solver=PGS|CG|Newton iterations#1 ls_iterations#1 noslip_iterations#1 mpr_iterations#1 "
     "ccd_iterations#1 "
     "sdf_iterations#1 sdf_initpoints#1 actuatorgroupdisable#*",
     "flag?"},
    {"flag",
     "constraint=disable|enable equality=disable|enable frictionloss=disable|enable limit=disable|enable "
     "contact=disable|enable passive=disable|enable spring=disable|enable damper=disable|enable "
     "gravity=disable|enable clampctrl=disable|enable warmstart=disable|enable filterparent=disable|enable "
     "actuation=disable|enable refsafe=disable|enable sensor=disable|enable midphase=disable|enable "
     "eulerdamp=disable|enable autoreset=disable|enable nativeccd=disable|enable island=disable|enable "
     "multiccd=disable|enable override=disable|enable energy=disable|enable fwdinv=disable|enable "
     "invdiscrete=disable|enable sensornoise=disable|enable sleep=disable|enable diagexact=disable|enable",
     ""},
    {"size",
     "memory njmax#1 nconmax#1 nstack#1 nuserdata#1 nkey#1 nuser_body#1 nuser_jnt#1 nuser_geom#1 "
     "nuser_site#1 "
     "nuser_cam#1 nuser_tendon#1 nuser_actuator#1 nuser_sensor#1",
     ""},
    {"statistic", "meaninertia:1 meanmass:1 meansize:1 extent:1 center:3", ""},
    {"visual", "", "visual:global? visual:quality? visual:headlight? visual:map? visual:scale? visual:rgba?"},
    {"visual:global",
     "cameraid#1 orthographic=false|true fovy:1 ipd:1 azimuth:1 elevation:1 linewidth:1 glow:1 offwidth#1 "
     "offheight#1 realtime:1 ellipsoidinertia=false|true bvactive=false|true",
     ""},
    {"visual:quality", "shadowsize#1 offsamples#1 numslices#1 numstacks#1 numquads#1", ""},
    {"visual:headlight", "ambient:3 diffuse:3 specular:3 active#1", ""},
    {"visual:map",
     "stiffness:1 stiffnessrot:1 force:1 torque:1 alpha:1 fogstart:1 fogend:1 znear:1 zfar:1 haze:1 "
     "shadowclip:1 "
     "shadowscale:1 actuatortendon:1",
     ""},
    {"visual:scale",
     "forcewidth:1 contactwidth:1 contactheight:1 connect:1 com:1 camera:1 light:1 selectpoint:1 "
     "jointlength:1 "
     "jointwidth:1 actuatorlength:1 actuatorwidth:1 framelength:1 framewidth:1 constraint:1 slidercrank:1 "
     "frustum:1",
     ""},
    {"visual:rgba",
     "fog:4 haze:4 force:4 inertia:4 joint:4 actuator:4 actuatornegative:4 actuatorpositive:4 com:4 camera:4 "
     "light:4 selectpoint:4 connect:4 contactpoint:4 contactforce:4 contactfriction:4 contacttorque:4 "
     "contactgap:4 rangefinder:4 constraint:4 slidercrank:4 crankbroken:4 frustum:4 bv:4 bvactive:4",
     ""},
    {"default", "class&",
     "default mesh material joint geom site camera light pair default:equality default:tendon general motor "
     "position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor"},
    {"default:equality", "active=false|true @sol", ""},
    {"default:tendon", "@tendon", ""},
    {"extension", "", "extension:plugin"},
    {"extension:plugin", "plugin", "instance"},
    {"instance", "name!", "config"},
    {"config", "key! value", ""},
    {"plugin", "plugin instance", "config"},
    {"custom", "", "custom:numeric custom:text custom:tuple"},
    {"custom:numeric", "name&! size#1 data:*", ""},
    {"custom:text", "name&! data!", ""},
    {"custom:tuple", "name&!", "tuple:element"},
    {"tuple:element", "objtype! objname! prm:1", ""},

    {"asset", "", "mesh hfield skin texture material model"},
    {"mesh",
     "name&^ class&^ content_type^ file^ vertex^:* normal^:* texcoord^:* face^#* refpos^:3 refquat^:4 "
     "scale:3 "
     "smoothnormal^=false|true maxhullvert#1 inertia=convex|legacy|exact|shell "
     "builtin^=none|sphere|hemisphere|cone|supertorus|supersphere|wedge|plate params^:* material&^",
     "plugin"},
    {"hfield", "name& content_type file nrow#1 ncol#1 size!:4 elevation:*", ""},
    {"skin", "*", "*"},
    {"texture",
     "name& type=2d|cube|skybox colorspace=auto|linear|sRGB content_type file gridsize#2 gridlayout "
     "fileright "
     "fileleft fileup filedown filefront fileback builtin=none|gradient|checker|flat rgb1:3 rgb2:3 "
     "mark=none|edge|cross|random markrgb:3 random:1 width#1 height#1 hflip=false|true vflip=false|true "
     "nchannel#1",
     ""},
    {"material",
     "name&^ class&^ texture& texrepeat:2 texuniform=false|true emission:1 specular:1 shininess:1 "
     "reflectance:1 "
     "metallic:1 roughness:1 rgba:4",
     "layer"},
    {"layer", "texture& role!", ""},
    {"model", "name file content_type", ""},

    {"worldbody", "childclass&", PKI_MJCF_IN_BODY},
    {"body",
     "name& childclass& pos:3 @orient mocap=false|true gravcomp:1 sleep=auto|never|allowed|init "
     "simple=false|auto user:*",
     PKI_MJCF_IN_BODY},
    {"frame", "name& childclass& pos:3 @orient", PKI_MJCF_IN_BODY},
    {"replicate", "count!#1 euler:3 sep offset:3 childclass&", PKI_MJCF_IN_BODY},
    {"inertial", "pos!:3 mass!:1 @orient diaginertia:3 fullinertia:6", ""},
    {"joint",
     "name&^ class&^ type=free|ball|slide|hinge group#1 pos:3 axis:3 springdamper:2 limited=false|true|auto "
     "actuatorfrclimited=false|true|auto @sollimit stiffness:1-3 range:2 actuatorfrcrange:2 "
     "actuatorgravcomp=false|true margin:1 ref:1 springref:1 armature:1 damping:1-3 frictionloss:1 user:*",
     ""},
    {"freejoint", "name& group#1 align=false|true|auto", ""},
    {"geom",
     "name&^ class&^ type=plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh|sdf contype#1 "
     "conaffinity#1 "
     "condim#1 group#1 priority#1 size:1-3 material& friction:1-3 mass:1 density:1 shellinertia=false|true "
     "solmix:1 @sol margin:1 gap:1 surfacevel:1-6 adhesion:1 fromto:6 pos:3 @orient hfield& mesh& fitscale:1 "
     "rgba:4 fluidshape=none|ellipsoid fluidcoef:1-5 user:*",
     "plugin"},
    {"attach", "model body frame prefix!", ""},
    {"site",
     "name&^ class&^ type=sphere|capsule|ellipsoid|cylinder|box group#1 pos:3 @orient material& size:1-3 "
     "fromto:6 rgba:4 user:*",
     ""},
    {"camera",
     "name&^ class&^ projection=perspective|orthographic orthographic=false|true fovy:1 ipd:1 resolution#2 "
     "output pos:3 @orient mode=fixed|track|trackcom|targetbody|targetbodycom target&^ focal:2 focalpixel:2 "
     "principal:2 principalpixel:2 sensorsize:2 user:*",
     ""},
    {"light",
     "name&^ class&^ directional=false|true type=spot|directional|point|image castshadow=false|true "
     "active=false|true pos:3 dir:3 bulbradius:1 intensity:1 range:1 attenuation:3 cutoff:1 softness:1 "
     "exponent:1 ambient:3 diffuse:3 specular:3 mode=fixed|track|trackcom|targetbody|targetbodycom target&^ "
     "texture&^",
     ""},
    {"composite", "*", "*"},
    {"flexcomp", "*", "*"},
    {"deformable", "*", "*"},
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const pki_mjcf_row *pki_mjcf_row_at(int index)
{
  return index < ROW_COUNT ? &rows[index] : pki_mjcf_more_row_at(index - ROW_COUNT);
}

/* The row of that name. */
static const pki_mjcf_row *row_called(const char *name, size_t length)
{
  const pki_mjcf_row *row;
  for (int i = 0; (row = pki_mjcf_row_at(i)) != NULL; i++) {
    if (strncmp(row->name, name, length) == 0 && row->name[length] == '\0') {
      return row;
    }
  }
  return NULL;
}

const pki_mjcf_row *pki_mjcf_root_row(void)
{
  return &rows[0];
}

/* The tag of a row's name: what stands behind the colon. */
static const char *tag_of(const char *name, size_t *length)
{
  const char *colon = memchr(name, ':', *length);
  if (colon != NULL) {
    *length -= (size_t)(colon + 1 - name);
    return colon + 1;
  }
  return name;
}

bool pki_mjcf_next_child(const pki_mjcf_row *row, const char **cursor, pki_mjcf_child *out)
{
  const char *p = *cursor != NULL ? *cursor : row->children;
  p += strspn(p, " ");
  size_t length = strcspn(p, " ");
  *cursor = p + length;
  if (length == 0) {
    return false;
  }
  out->once = p[length - 1] == '?';
  length -= out->once;
  out->row = row_called(p, length);
  out->tag = tag_of(p, &length);
  out->length = length;
  return true;
}

bool pki_mjcf_find_child(const pki_mjcf_row *row, const char *tag, pki_mjcf_child *out)
{
  const size_t length = strlen(tag);
  for (const char *cursor = NULL; pki_mjcf_next_child(row, &cursor, out);) {
    if (out->length == length && memcmp(out->tag, tag, length) == 0) {
      return true;
    }
  }
  return false;
}

static const char *find_group(const char *word, size_t length)
{
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
    if (strlen(groups[i].word) == length && memcmp(groups[i].word, word, length) == 0) {
      return groups[i].attributes;
    }
  }
  return "";
}

/* "3", "1-3" or "*" behind : or #. */
static void take_count(const char *p, pki_mjcf_word *out)
{
  out->least = 1;
  out->most = -1;
  if (*p != '*') {
    char *end;
    out->least = (int)strtol(p, &end, 10);
    out->most = *end == '-' ? (int)strtol(end + 1, NULL, 10) : out->least;
  }
}

static void take_word(const char *p, size_t length, pki_mjcf_word *out)
{
  *out = (pki_mjcf_word){.name = p};
  while (out->length < length && strchr("&^!:#=", p[out->length]) == NULL) {
    out->length++;
  }
  for (size_t i = out->length; i < length; i++) {
    out->is_name |= p[i] == '&';
    out->not_default |= p[i] == '^';
    out->needed |= p[i] == '!';
    if (p[i] == ':' || p[i] == '#' || p[i] == '=') {
      out->type = p[i];
      out->words = p + i + 1;
      break;
    }
  }
  if (out->type == ':' || out->type == '#') {
    take_count(out->words, out);
  }
}

bool pki_mjcf_next_word(const pki_mjcf_row *row, pki_mjcf_cursor *cursor, pki_mjcf_word *out)
{
  if (cursor->depth == 0) {
    *cursor = (pki_mjcf_cursor){.depth = 1, .at = {row->attributes}};
  }
  while (cursor->depth > 0) {
    const char *p = cursor->at[cursor->depth - 1];
    p += strspn(p, " ");
    const size_t length = strcspn(p, " ");
    cursor->at[cursor->depth - 1] = p + length;
    if (length == 0) {
      cursor->depth--;
    } else if (*p == '@') {
      cursor->at[cursor->depth++] = find_group(p + 1, length - 1);
    } else {
      take_word(p, length, out);
      return true;
    }
  }
  return false;
}

bool pki_mjcf_find_word(const pki_mjcf_row *row, const char *name, pki_mjcf_word *out)
{
  const size_t length = strlen(name);
  for (pki_mjcf_cursor cursor = {0}; pki_mjcf_next_word(row, &cursor, out);) {
    if (out->length == length && memcmp(out->name, name, length) == 0) {
      return true;
    }
  }
  return false;
}
