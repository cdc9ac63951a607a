var PronkReplay={mount:function(){}};var a='</script><!--</SCRIPT>';if(1<2&&a<'b'){}
